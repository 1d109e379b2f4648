import { configurationError } from '@sluice/core/adapter'
import type { Capabilities, Provider, Target } from '@sluice/core/provider'

/** A configured provider: call it with the provider's name of a model to get a target. Each `openai()` returns one. */
export interface ProviderInstance {
  /** `model` is the provider's name for the model. Throws `ConfigurationError` if it is empty. */
  (model: string, capabilities?: Capabilities): Target
  readonly provider: Provider
}

/** A `ProviderInstance` with a list of known model names, which editors complete. It accepts any other name too. */
export interface ProviderInstanceOf<Model extends string> extends ProviderInstance {
  (model: Model, capabilities?: Capabilities): Target
}

/** The default capabilities of a provider's models, for all models or by name. A target can override them. */
export type KnownCapabilities = Capabilities | ((model: string) => Capabilities | undefined)

/** Creates the function that makes targets of a provider. */
export function providerInstance(provider: Provider, known?: KnownCapabilities): ProviderInstance {
  const { name } = provider
  function target(model: string, given?: Capabilities): Target {
    if (typeof model !== 'string' || model.trim() === '') {
      const expected = `the provider's name for the model, such as ${name}({ ... })('its-model')`
      throw configurationError(`${name}()`, ['model'], model, expected)
    }
    const inferred = typeof known === 'function' ? known(model) : known
    if (given === undefined && inferred === undefined) return { provider, model }
    return { provider, model, capabilities: { ...inferred, ...givenOf(given) } }
  }
  return Object.assign(target, { provider })
}

/** A capability that is `undefined` is not given: the default applies. */
function givenOf(capabilities: Capabilities = {}): Capabilities {
  return Object.fromEntries(Object.entries(capabilities).filter(([, value]) => value !== undefined))
}

/** Returns the part of a provider with its concurrency limit. Throws `ConfigurationError` for an invalid limit. */
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
