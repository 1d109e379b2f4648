import type { PriceSource } from './price-source.ts'
import type { ModelPrices } from './provider-prices.ts'

const maxNames = 1_000
const maxNameLength = 200

/** Returns a function that finds a model's prices in a table, and remembers them by name. */
export function modelLookup(source: PriceSource): (id: string, model: string) => ModelPrices | undefined {
  const found = new Map<string, Map<string, ModelPrices | undefined>>()
  return (id, model) => {
    // Callers may choose the model: such names must not fill the memory, or be matched for long.
    if (model.length > maxNameLength) return undefined
    let ofProvider = found.get(id)
    const known = ofProvider?.get(model)
    if (known !== undefined || ofProvider?.has(model)) return known
    const prices = findModel(source, id, model.toLowerCase().trim())
    if (found.size >= maxNames) found.clear()
    if (ofProvider === undefined || ofProvider.size >= maxNames) ofProvider = new Map()
    found.set(id, ofProvider)
    ofProvider.set(model, prices)
    return prices
  }
}

function findModel(source: PriceSource, id: string, name: string): ModelPrices | undefined {
  const found = findName(source, id, name)
  if (found !== undefined) return found
  const dated = withDashes(name)
  return dated === name ? undefined : findName(source, id, dated)
}

function findName(source: PriceSource, id: string, name: string): ModelPrices | undefined {
  const provider = source.provider(id)
  const matching = ({ matches }: ModelPrices) => matches(name)
  const own = provider?.models.find(matching)
  if (own !== undefined) return own
  for (const fallback of provider?.fallbacks ?? []) {
    const other = source.provider(fallback)?.models.find(matching)
    if (other !== undefined) return other
  }
  return undefined
}

/** Some vendors write the date of a model `20250414`, others `2025-04-14`. */
function withDashes(name: string): string {
  return name.replace(/-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)/g, '-$1-$2-$3')
}
