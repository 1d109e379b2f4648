import type { Target } from '@sluice/core'
import { local, openai } from '@sluice/providers'
import type { Settings } from './settings.ts'

/** The models of the first vendor, and what the vendor calls them. */
const firstVendor = {
  'vendora-4o': 'gpt-4o',
  'vendora-4o-mini': 'gpt-4o-mini',
  'vendora-4.1': 'gpt-4.1',
  'vendora-4.1-mini': 'gpt-4.1-mini',
  o1: 'o1',
  o3: 'o3',
}

/** The models served, by their public names, each with the place where it is answered. */
export function catalogue(vendor: Settings['openai']): Record<string, Target> {
  const standIn = local()
  const ask = vendor === undefined ? standIn : openai(vendor)
  const { o1, o3, ...general } = firstVendor
  return {
    ...targets(general, ask),
    'vendorb-sonnet-4-20250514': standIn('vendorb-sonnet-4-20250514'),
    'vendorc-2.5-flash': standIn('vendorc-2.5-flash'),
    ...targets({ o1, o3 }, ask),
  }
}

function targets(names: Record<string, string>, ask: (model: string) => Target): Record<string, Target> {
  return Object.fromEntries(Object.entries(names).map(([name, model]) => [name, ask(model)]))
}
