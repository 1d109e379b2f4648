import { configurationError } from '@sluice/core/adapter'
import type { Capabilities, Provider, Target } from '@sluice/core/provider'

/** A vendor that is set up: give it a model's name to get a place where that model answers. */
export interface ProviderInstance {
  /** `model` is the vendor's own name. Throws `ConfigurationError` where it is empty. */
  (model: string, capabilities?: Capabilities): Target
  readonly provider: Provider
}

/** A vendor of which an editor completes the models that are known; any other name is taken too. */
export interface VendorOf<Model extends string> extends ProviderInstance {
  (model: Model, capabilities?: Capabilities): Target
}

/** What a vendor's models can do, where a target does not say otherwise. */
export type KnownCapabilities = Capabilities | ((model: string) => Capabilities | undefined)

/** A vendor around its provider. */
export function providerInstance(provider: Provider, known?: KnownCapabilities): ProviderInstance {
  const { name } = provider
  function target(model: string, given?: Capabilities): Target {
    if (typeof model !== 'string' || model.trim() === '') {
      const expected = `the name that the vendor has for the model, such as ${name}({ ... })('its-model')`
      throw configurationError(`${name}()`, ['model'], model, expected)
    }
    const inferred = typeof known === 'function' ? known(model) : known
    if (given === undefined && inferred === undefined) return { provider, model }
    return { provider, model, capabilities: { ...inferred, ...given } }
  }
  return Object.assign(target, { provider })
}

/** The part of a provider that says how many calls may run at once. Throws `ConfigurationError` for what is no count. */
export function concurrency(
  maxConcurrent: number | undefined,
  owner: string,
): { readonly maxConcurrent?: number } {
  if (maxConcurrent === undefined) return {}
  if (!(Number.isSafeInteger(maxConcurrent) && maxConcurrent > 0)) {
    throw configurationError(`${owner}()`, ['maxConcurrent'], maxConcurrent, 'a whole number of 1 or more')
  }
  return { maxConcurrent }
}
