import type { Config } from '../../config/config.ts'
import { cacheNote } from '../cache-note.ts'
import type { Imported } from '../imported.ts'
import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { placesIn } from '../places-in.ts'
import { Reading } from '../reading.ts'
import { Variables, variable } from '../variables.ts'
import { VendorTable } from '../vendor-table.ts'
import { eitherCase } from './either-case.ts'
import { portkeyLosses } from './known-losses.ts'
import { targetRoute } from './target-route.ts'
import { vendorKeys } from './vendors.ts'

/** A gateway config of Portkey's, parsed, as a configuration of Sluice. */
export function importPortkey(value: unknown): Imported {
  const reading = new Reading(value)
  const { root } = reading
  const variables = new Variables(['SLUICE_API_KEY', 'VERTEX_TOKEN', ...vendorKeys])
  const importing: Importing = { reading, variables, vendors: new VendorTable() }
  const route = targetRoute(root, importing)
  reading.note(
    'Callers may ask for any name, and a * asks the vendor for that very one. Write the names of your models in the place of *, so that they are listed and can have prices and limits.',
  )
  reading.note(
    "Portkey hands on the caller's own key to the vendor. Here callers need the key in SLUICE_API_KEY, and the vendors' keys are the service's.",
  )
  const config: Config = {
    providers: importing.vendors.asConfig(),
    models: route === undefined ? {} : { '*': route },
    keys: [{ id: 'caller', key: variable('SLUICE_API_KEY') }],
    ...cacheOf(root, reading),
    ...timeoutsOf(root),
    ...attemptsOf(root, route === undefined ? 1 : placesIn(route), reading),
  }
  return { config, lost: reading.losses(portkeyLosses), notes: [...reading.notes], secrets: variables.moved }
}

function cacheOf(root: Part, reading: Reading): Pick<Config, 'cache'> {
  const cache = root.at('cache')
  const mode = cache.isLeaf ? cache : cache.at('mode')
  if (!cache.isThere) return {}
  if (mode.value !== 'simple') {
    cache.lose('Answers are given again to the very same request alone.', 'Set cache.')
    return {}
  }
  mode.text()
  reading.note(cacheNote)
  const age = eitherCase(cache, 'max_age').count(1)
  if (age === undefined)
    reading.note('The cache has no max_age in the file; a week is written, which is what Portkey takes.')
  return { cache: { ttlMs: (age ?? 604_800) * 1000 } }
}

function timeoutsOf(root: Part): Pick<Config, 'timeouts'> {
  const ms = eitherCase(root, 'request_timeout').count(1)
  return ms === undefined ? {} : { timeouts: { firstByteMs: ms, responseMs: ms } }
}

function attemptsOf(root: Part, places: number, reading: Reading): Pick<Config, 'maxAttempts' | 'retry'> {
  const attempts = root.at('retry').at('attempts').count(0)
  if (attempts === undefined) return places > 3 ? { maxAttempts: places } : {}
  reading.note(
    'maxAttempts counts the calls of a request over all its places; Portkey counts anew for each target.',
  )
  const header = eitherCase(root.at('retry'), 'use_retry_after_header')
  if (header.value === true) header.take()
  return { maxAttempts: attempts + places, ...(attempts === 0 ? { retry: false as const } : {}) }
}
