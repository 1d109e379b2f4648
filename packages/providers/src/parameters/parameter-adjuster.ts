import { GatewayError } from '@sluice/core'
import type { Adjustment, GenerateRequest, UnsupportedParameters } from '@sluice/core/provider'

/**
 * What is adjusted: the path of a parameter in the chat request, which is reported as the caller's dialect names it; or a
 * turn, a part or a member of one, whose `path` is the caller's already.
 */
export type AdjustedParameter = string | { readonly path: string }

/** What an adjuster reads of a request: the caller's names, and its dialect. */
type CallersRequest = Pick<GenerateRequest, 'pathOf'> & Partial<Pick<GenerateRequest, 'dialect' | 'turnPath'>>

/**
 * Drops, maps, defaults or refuses parameters that a provider does not support, and lists each adjustment. It never
 * changes a value silently.
 */
export class ParameterAdjuster {
  readonly list: Adjustment[] = []
  readonly #mode: UnsupportedParameters
  readonly #request: CallersRequest | undefined
  #listed: Set<string> | undefined

  /** @param request - names parameters as the caller's dialect does. Default: as chat completions do. */
  constructor(mode: UnsupportedParameters = 'refuse', request?: CallersRequest) {
    this.#mode = mode
    this.#request = request
  }

  /** Reports a dropped hint, which does not change the answer. */
  drop(parameter: AdjustedParameter, detail?: string): void {
    if (this.#isUsualMark(parameter)) return
    this.#add(parameter, 'dropped', detail)
  }

  /** Reports a parameter that is sent as an approximate equivalent. */
  map(parameter: AdjustedParameter, detail: string): void {
    this.#add(parameter, 'mapped', detail)
  }

  /** Reports a default for a parameter that the provider requires and the caller did not send. */
  fill(parameter: AdjustedParameter, detail: string): void {
    this.#add(parameter, 'defaulted', detail)
  }

  /**
   * Refuses a parameter that changes the answer. Throws `GatewayError` (400, `unsupported_parameter`), or drops the
   * parameter if the mode is `drop`.
   *
   * @param why - a sentence that says how to fix the request.
   */
  unsupported(parameter: AdjustedParameter, why?: string): void {
    if (this.#mode === 'drop') {
      this.drop(parameter, why)
      return
    }
    const param = this.pathOf(parameter)
    throw new GatewayError('unsupported_parameter', {
      message: `Unsupported parameter: '${param}' is not supported with this model.${why === undefined ? '' : ` ${why}`}`,
      param,
    })
  }

  /** Refuses a part of a parameter that is itself supported: an item of a list, or a member. Otherwise as `unsupported`. */
  unsupportedPart(path: string, why: string): void {
    if (this.#mode === 'drop') this.drop({ path }, why)
    else throw cannotSend(path, `Unsupported value: '${path}' is not supported with this model. ${why}`)
  }

  /**
   * Refuses a value of a supported parameter. Throws `GatewayError` (400, `unsupported_value`), or drops the parameter
   * if the mode is `drop`.
   *
   * @param expected - the supported values: `Expected a value <= 1.`
   */
  unsupportedValue(parameter: AdjustedParameter, value: unknown, expected: string): void {
    if (this.#mode === 'drop') {
      this.drop(parameter, expected)
      return
    }
    const param = this.pathOf(parameter)
    throw new GatewayError('unsupported_value', {
      message: `Unsupported value: '${param}' does not support ${shown(value)} with this model. ${expected}`,
      param,
    })
  }

  /** Several parameters of a chat request may be one of the caller's, such as `metadata.user_id`: it is listed once. */
  #add(adjusted: AdjustedParameter, action: Adjustment['action'], detail: string | undefined): void {
    const parameter = this.pathOf(adjusted)
    const key = JSON.stringify([parameter, action, detail])
    this.#listed ??= new Set()
    if (this.#listed.has(key)) return
    this.#listed.add(key)
    this.list.push(detail === undefined ? { parameter, action } : { parameter, action, detail })
  }

  /** In the Messages API nearly every request has cache marks. The answer is the same without them, so nothing is reported. */
  #isUsualMark(parameter: AdjustedParameter): boolean {
    if (this.#request?.dialect !== 'messages') return false
    const path = typeof parameter === 'string' ? parameter : parameter.path
    return /(?:^|\.)cache_control$/.test(path)
  }

  /** Returns the caller's name of a parameter. */
  pathOf(parameter: AdjustedParameter): string {
    if (typeof parameter !== 'string') return this.#request?.turnPath?.(parameter.path) ?? parameter.path
    return this.#request === undefined ? parameter : this.#request.pathOf(parameter)
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
