import { bundledTable } from './bundled-table.ts'
import { type ProviderPrices, readProvider } from './provider-prices.ts'

/** A table of prices by the vendor's id. */
export interface PriceSource {
  /** How many models have prices. */
  readonly models: number
  readonly provider: (id: string) => ProviderPrices | undefined
}

/** The bundled table. A provider is read when it is first used. */
export function bundledSource(): PriceSource {
  const read = new Map<string, ProviderPrices>()
  return {
    get models() {
      return Object.values(bundledTable).reduce((sum, json) => sum + JSON.parse(json).models.length, 0)
    },
    provider: id => {
      const known = read.get(id)
      if (known !== undefined || !Object.hasOwn(bundledTable, id)) return known
      const prices = readProvider(JSON.parse(bundledTable[id]!))
      read.set(id, prices)
      return prices
    },
  }
}

const maxProviders = 500

/** Reads a whole table: the providers of @pydantic/genai-prices, as JSON. Throws for an invalid one. */
export function readSource(text: string): PriceSource {
  const given: unknown = parsed(text)
  if (!Array.isArray(given) || given.length === 0 || given.length > maxProviders)
    throw new Error(`The table of prices is not a list of 1 to ${maxProviders} providers.`)
  const providers = new Map(Array.from<unknown>(given).map(readEntry))
  const models = [...providers.values()].reduce((sum, { models }) => sum + models.length, 0)
  return { models, provider: id => providers.get(id) }
}

function readEntry(given: unknown, index: number): [string, ProviderPrices] {
  const id = typeof given === 'object' && given !== null && 'id' in given ? given.id : undefined
  if (typeof id !== 'string') throw new Error(`The table of prices has no id at position ${index}.`)
  try {
    return [id, readProvider(given)]
  } catch (error) {
    throw new Error(`The table of prices is invalid: ${id.slice(0, 100)}: ${(error as Error).message}.`)
  }
}

/** The engine's message quotes the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The table of prices is not valid JSON.')
  }
}
