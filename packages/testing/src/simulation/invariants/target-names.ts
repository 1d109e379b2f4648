import type { BegunCall } from '../history.ts'

/** Names the targets of gateways in maps. A name is made once: to join and to hash it for each call takes longer than to find it. */
export class TargetNames {
  /** By provider and model, each by the number of the gateway. */
  readonly #names = new Map<string, Map<string, string[]>>()

  of({ gateway, provider, model }: BegunCall): string {
    return this.#names.get(provider)?.get(model)?.[gateway] ?? this.#add(gateway, provider, model)
  }

  #add(gateway: number, provider: string, model: string): string {
    const models = this.#names.get(provider) ?? new Map<string, string[]>()
    this.#names.set(provider, models)
    const names = models.get(model) ?? []
    models.set(model, names)
    const name = `${gateway}/${provider}/${model}`
    names[gateway] = name
    return name
  }
}
