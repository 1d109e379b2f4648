import type { Capabilities, Provider, Target } from '@sluice/core'

/** A vendor that is set up: give it a model's name to get a place where that model answers. */
export interface Vendor {
  /** `model` is the vendor's own name. Throws `TypeError` where it is empty. */
  (model: string, capabilities?: Capabilities): Target
  readonly provider: Provider
}

/** What a vendor's models can do, where a target does not say otherwise. */
export type KnownCapabilities = Capabilities | ((model: string) => Capabilities | undefined)

/** A vendor around its provider. */
export function vendorOf(provider: Provider, known?: KnownCapabilities): Vendor {
  const { name } = provider
  function target(model: string, given?: Capabilities): Target {
    if (typeof model !== 'string' || model.trim() === '') {
      throw new TypeError(
        `${name}: the model has to be named as the vendor names it, such as ${name}({ ... })('its-model').`,
      )
    }
    const inferred = typeof known === 'function' ? known(model) : known
    if (given === undefined && inferred === undefined) return { provider, model }
    return { provider, model, capabilities: { ...inferred, ...given } }
  }
  return Object.assign(target, { provider })
}

/** The part of a provider that says how many calls may run at once. Throws `TypeError` for what is no count. */
export function concurrency(
  maxConcurrent: number | undefined,
  owner: string,
): { readonly maxConcurrent?: number } {
  if (maxConcurrent === undefined) return {}
  if (!(Number.isSafeInteger(maxConcurrent) && maxConcurrent > 0)) {
    throw new TypeError(
      `${owner}: maxConcurrent has to be a whole number of 1 or more, not ${maxConcurrent}.`,
    )
  }
  return { maxConcurrent }
}
