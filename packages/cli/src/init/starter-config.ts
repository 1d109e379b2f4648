import type { EnvironmentVendor } from '../dev/environment-vendors.ts'

/** A member of a configuration, and what is said of it. */
export interface StarterSection {
  readonly name: string
  readonly comment: string
  readonly value: unknown
}

/** What a configuration can start from: how it is reached, and not the keys themselves. */
export interface StarterFacts {
  readonly vendors: readonly Pick<
    EnvironmentVendor,
    'name' | 'keyVariable' | 'baseVariable' | 'baseURL' | 'model'
  >[]
  /** Whether SLUICE_API_KEY is set. */
  readonly apiKey: boolean
}

/** A configuration to begin with, member by member. Secrets are named by their variables. */
export function starterConfig({ vendors, apiKey }: StarterFacts): readonly StarterSection[] {
  const keys: StarterSection = {
    name: 'keys',
    comment: 'Callers with keys from the environment. Keys created with `sluice keys create` work too.',
    value: [{ id: 'me', key: reference('SLUICE_API_KEY') }],
  }
  return [
    {
      name: 'server',
      comment: 'Only this machine can connect. With 0.0.0.0 as host, other machines can, too.',
      value: { host: '127.0.0.1', port: 8787 },
    },
    ...providersOf(vendors),
    {
      name: 'models',
      comment:
        'The names that clients request, and their targets. In a list, the next one is called if one fails.',
      value: modelsOf(vendors),
    },
    ...(apiKey ? [keys] : []),
    {
      name: 'limits',
      comment: 'Applies to each key.',
      value: [{ kind: 'requests', limit: 60, per: 'minute' }],
    },
    {
      name: 'state',
      comment: 'Stores keys and usage. Several processes need postgres://...',
      value: { database: 'file:./sluice.db' },
    },
  ]
}

function providersOf(vendors: StarterFacts['vendors']): readonly StarterSection[] {
  if (vendors.length === 0) {
    return [
      { name: 'providers', comment: 'local is built in, and not a language model.', value: { local: {} } },
    ]
  }
  const value = Object.fromEntries(
    vendors.map(({ name, keyVariable, baseVariable, baseURL }) => [
      name,
      {
        apiKey: reference(keyVariable),
        ...(baseURL === undefined ? {} : { baseURL: reference(baseVariable) }),
      },
    ]),
  )
  return [{ name: 'providers', comment: `Vendors. ${reference('NAME')} is an environment variable.`, value }]
}

function modelsOf(vendors: StarterFacts['vendors']): Record<string, unknown> {
  const places = vendors.map(({ name, model }) => `${name}/${model}`)
  if (places.length === 0) return { demo: 'local/demo' }
  return {
    chat: places.length === 1 ? places[0] : places,
    ...Object.fromEntries(vendors.map(({ name }) => [`${name}/*`, `${name}/*`])),
  }
}

function reference(variable: string): string {
  return `\${${variable}}`
}
