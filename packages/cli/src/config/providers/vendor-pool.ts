import { isDeepStrictEqual } from 'node:util'
import type { Target } from '@sluice/core'
import type { Capabilities } from '@sluice/core/provider'
import type { ProviderConfig, ProviderFunction, TypedConfig } from '../config.ts'
import { collectOptionIssues } from '../shape/collect-issues.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { vendors } from './vendors.ts'

/** Makes a place out of a model's name. */
export type TargetFactory = (model: string, capabilities?: Capabilities) => Target

interface Made {
  readonly config: ProviderConfig | ProviderFunction
  readonly make: TargetFactory
}

/**
 * The providers of successive configurations. One with unchanged options stays the same object, and keeps the health of
 * its targets.
 */
export class VendorPool {
  #current: ReadonlyMap<string, Made> = new Map()

  /** Returns the providers of a configuration. One with an invalid option is reported and left out. */
  take(config: TypedConfig, location: ConfigLocation): VendorSet {
    const made = new Map<string, Made>()
    const names = Object.keys(config.providers ?? {})
    for (const name of names) {
      const given = config.providers![name]!
      const found = location.issues.has([...location.path, name])
        ? undefined
        : this.#one(name, given, location.at(name))
      if (found !== undefined) made.set(name, found)
    }
    return {
      names,
      make: name => made.get(name)?.make,
      keep: () => {
        this.#current = made
      },
    }
  }

  #one(name: string, config: ProviderConfig | ProviderFunction, location: ConfigLocation): Made | undefined {
    const current = this.#current.get(name)
    if (current !== undefined && isDeepStrictEqual(current.config, config)) return current
    if (typeof config === 'function') return { config, make: config }
    return collectOptionIssues(location, () => ({ config, make: createTargetFactory(name, config) }))
  }
}

export interface VendorSet {
  /** Includes providers with issues. */
  readonly names: readonly string[]
  readonly make: (name: string) => TargetFactory | undefined
  /** From now on these are the ones that stay. */
  readonly keep: () => void
}

/** The provider's name is its key in the configuration: two accounts of one vendor are two providers. */
function createTargetFactory(name: string, { type = name, ...options }: ProviderConfig): TargetFactory {
  const known = vendors[type]!
  const named = type === 'openai-compatible' ? { name, ...options } : options
  const vendor = known.make(named as never)
  const { provider } = vendor
  if (provider.name === name || options.name !== undefined) return vendor
  const renamed = { ...provider, name }
  return (model, capabilities) => ({ ...vendor(model, capabilities), provider: renamed })
}
