import type { Target } from '@sluice/core'
import { anthropic, gemini, local, openai } from '@sluice/providers'
import type { Access, VendorName } from './settings.ts'

/** The models served, by their public names: whose each is, and what that vendor calls it. */
const served: Readonly<Record<string, readonly [VendorName, string]>> = {
  'vendora-4o': ['openai', 'gpt-4o'],
  'vendora-4o-mini': ['openai', 'gpt-4o-mini'],
  'vendora-4.1': ['openai', 'gpt-4.1'],
  'vendora-4.1-mini': ['openai', 'gpt-4.1-mini'],
  'vendorb-sonnet-4-20250514': ['anthropic', 'claude-sonnet-4-20250514'],
  'vendorc-2.5-flash': ['gemini', 'gemini-2.5-flash'],
  o1: ['openai', 'o1'],
  o3: ['openai', 'o3'],
}

const vendors = { openai, anthropic, gemini }

/** Each model with the place where it is answered: by its vendor where there is a key for it, else by `local()`. */
export function catalogue(access: Partial<Record<VendorName, Access>>): Record<string, Target> {
  const standIn = local()
  const asked = Object.fromEntries(
    Object.entries(access).map(([name, options]) => [name, vendors[name as VendorName](options)]),
  )
  return Object.fromEntries(
    Object.entries(served).map(([name, [vendor, model]]) => [name, asked[vendor]?.(model) ?? standIn(name)]),
  )
}
