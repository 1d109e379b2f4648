/** The models that are always served, by their public names: whose each is, and what that vendor calls it. */
const served: Readonly<Record<string, readonly [vendor: string, model: string]>> = {
  'vendora-4o': ['openai', 'gpt-4o'],
  'vendora-4o-mini': ['openai', 'gpt-4o-mini'],
  'vendora-4.1': ['openai', 'gpt-4.1'],
  'vendora-4.1-mini': ['openai', 'gpt-4.1-mini'],
  'vendorb-sonnet-4-20250514': ['anthropic', 'claude-sonnet-4-20250514'],
  'vendorc-2.5-flash': ['gemini', 'gemini-2.5-flash'],
  o1: ['openai', 'o1'],
  o3: ['openai', 'o3'],
}

/** Whether a model is always served. */
export function isCatalogued(model: string): boolean {
  return Object.hasOwn(served, model)
}

/** Where a model is answered: by which provider, and under which name of its. */
export interface Place {
  readonly provider: string
  readonly model: string
}

/** Each model with its place: with its vendor where that one can be reached, else in `local()`. */
export function catalogue(reachable: readonly string[]): ReadonlyMap<string, Place> {
  return new Map(
    Object.entries(served).map(([name, [provider, model]]) => [
      name,
      reachable.includes(provider) ? { provider, model } : { provider: 'local', model: name },
    ]),
  )
}
