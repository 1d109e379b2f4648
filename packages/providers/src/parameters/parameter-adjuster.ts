import { GatewayError } from '@sluice/core'
import type { Adjustment, UnsupportedParameters } from '@sluice/core/provider'

/**
 * Drops, maps, defaults or refuses parameters that a provider does not support, and lists each adjustment. It never
 * changes a value silently.
 */
export class ParameterAdjuster {
  readonly list: Adjustment[] = []
  readonly #mode: UnsupportedParameters

  constructor(mode: UnsupportedParameters = 'refuse') {
    this.#mode = mode
  }

  /** Reports a dropped hint, which does not change the answer. */
  drop(parameter: string, detail?: string): void {
    this.#add(parameter, 'dropped', detail)
  }

  /** Reports a parameter that is sent as an approximate equivalent. */
  map(parameter: string, detail: string): void {
    this.#add(parameter, 'mapped', detail)
  }

  /** Reports a default for a parameter that the provider requires and the caller did not send. */
  fill(parameter: string, detail: string): void {
    this.#add(parameter, 'defaulted', detail)
  }

  /**
   * Refuses a parameter that changes the answer. Throws `GatewayError` (400, `unsupported_parameter`), or drops the
   * parameter if the mode is `drop`.
   *
   * @param why - a sentence that says how to fix the request.
   */
  unsupported(parameter: string, why?: string): void {
    if (this.#mode === 'drop') {
      this.drop(parameter, why)
      return
    }
    throw new GatewayError('unsupported_parameter', {
      message: `Unsupported parameter: '${parameter}' is not supported with this model.${why === undefined ? '' : ` ${why}`}`,
      param: parameter,
    })
  }

  /**
   * Refuses a value of a supported parameter. Throws `GatewayError` (400, `unsupported_value`), or drops the parameter
   * if the mode is `drop`.
   *
   * @param expected - the supported values: `Expected a value <= 1.`
   */
  unsupportedValue(parameter: string, value: unknown, expected: string): void {
    if (this.#mode === 'drop') {
      this.drop(parameter, expected)
      return
    }
    throw new GatewayError('unsupported_value', {
      message: `Unsupported value: '${parameter}' does not support ${shown(value)} with this model. ${expected}`,
      param: parameter,
    })
  }

  #add(parameter: string, action: Adjustment['action'], detail: string | undefined): void {
    this.list.push(detail === undefined ? { parameter, action } : { parameter, action, detail })
  }
}

/**
 * Returns the error (400, `unsupported_value`) for content that can neither be sent nor dropped, such as a message part.
 *
 * @param message - what was received, what the provider accepts, and how to fix it.
 */
export function cannotSend(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_value', { message, param })
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
