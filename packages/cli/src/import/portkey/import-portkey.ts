import type { Config } from '../../config/config.ts'
import { placesIn } from '../count-targets.ts'
import { cacheNote, type Importing, Variables, VendorTable, variable } from '../import-context.ts'
import { type ImportNode, ImportReader, type LossHints } from '../import-reader.ts'
import type { Imported } from '../import-result.ts'
import { targetRoute } from './target-route.ts'
import { eitherCase, vendorKeys } from './vendors.ts'

/** A gateway config of Portkey's, parsed, as a configuration of Sluice. */
export function importPortkey(value: unknown): Imported {
  const reading = new ImportReader(value)
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

function cacheOf(root: ImportNode, reading: ImportReader): Pick<Config, 'cache'> {
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

function timeoutsOf(root: ImportNode): Pick<Config, 'timeouts'> {
  const ms = eitherCase(root, 'request_timeout').count(1)
  return ms === undefined ? {} : { timeouts: { firstByteMs: ms, responseMs: ms } }
}

function attemptsOf(
  root: ImportNode,
  places: number,
  reading: ImportReader,
): Pick<Config, 'maxAttempts' | 'retry'> {
  const attempts = root.at('retry').at('attempts').count(0)
  if (attempts === undefined) return places > 3 ? { maxAttempts: places } : {}
  reading.note(
    'maxAttempts counts the calls of a request over all its places; Portkey counts anew for each target.',
  )
  const header = eitherCase(root.at('retry'), 'use_retry_after_header')
  if (header.value === true) header.take()
  return { maxAttempts: attempts + places, ...(attempts === 0 ? { retry: false as const } : {}) }
}

const guardrails = {
  why: 'There are no guardrails.',
  mend: 'Wrap the gateway in your own code: docs/custom-gateway.md shows where.',
}

/** What Portkey has and Sluice has not, or has elsewhere, by where it stands. */
const portkeyLosses: LossHints = {
  input_guardrails: guardrails,
  output_guardrails: guardrails,
  before_request_hooks: guardrails,
  after_request_hooks: guardrails,
  forward_headers: {
    why: "A caller's headers never reach a vendor.",
    mend: 'Give the provider headers of its own.',
  },
  'retry.on_status_codes': {
    why: 'What is sent again after which failure is fixed.',
    mend: 'See the table in docs/routing.md.',
  },
  'targets[].retry': {
    why: 'Repeats are those of the service and not of a place.',
    mend: 'Set maxAttempts and retry.',
  },
  'targets[].cache': {
    why: 'The cache is that of the service and not of a place.',
    mend: 'Set cache.',
  },
  'targets[].request_timeout': {
    why: 'Deadlines are those of the service and not of a place.',
    mend: 'Set timeouts.firstByteMs and timeouts.responseMs.',
  },
  'targets[].input_guardrails': guardrails,
  'targets[].output_guardrails': guardrails,
  metadata: {
    why: 'Requests carry no metadata of the configuration.',
    mend: 'Give keys tags.',
  },
}
