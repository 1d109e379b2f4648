import { GatewayError } from '@sluice/core'
import type { Adjustment, UnsupportedParameters } from '@sluice/core/provider'

/**
 * What becomes of the parameters that a vendor lacks, in one policy: left out and told of, said in other terms
 * and told of, or refused. Nothing is clamped, and nothing goes without a word.
 */
export class ParameterAdjuster {
  readonly list: Adjustment[] = []
  readonly #mode: UnsupportedParameters

  constructor(mode: UnsupportedParameters = 'refuse') {
    this.#mode = mode
  }

  /** Leaves out a hint: it promises nothing about the answer. */
  drop(parameter: string, detail?: string): void {
    this.#add(parameter, 'dropped', detail)
  }

  /** Says a parameter in the vendor's own terms, which are not quite the same. */
  map(parameter: string, detail: string): void {
    this.#add(parameter, 'mapped', detail)
  }

  /** Gives the vendor what it needs and the caller did not say. */
  fill(parameter: string, detail: string): void {
    this.#add(parameter, 'defaulted', detail)
  }

  /**
   * A parameter that changes the answer, and that the vendor lacks. Throws `GatewayError` (400,
   * `unsupported_parameter`), or leaves it out where the gateway's owner chose `drop`.
   *
   * @param why - a sentence that says how to mend it.
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
   * A value that the vendor does not take, of a parameter that it has. Throws `GatewayError` (400,
   * `unsupported_value`), or leaves the parameter out where the gateway's owner chose `drop`.
   *
   * @param expected - what it takes: `Expected a value <= 1.`
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
 * What can neither be sent nor left out, such as a part of a message: always a 400, `unsupported_value`.
 *
 * @param message - what was got, what the vendor takes, and how to mend it.
 */
export function cannotSend(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_value', { message, param })
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
