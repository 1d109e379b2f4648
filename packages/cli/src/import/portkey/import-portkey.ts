import type { Config } from '../../config/config.ts'
import { countTargets } from '../count-targets.ts'
import { cacheNote, type ImportContext, Variables, VendorTable, variable } from '../import-context.ts'
import { type ImportNode, ImportReader, type UnsupportedHints } from '../import-reader.ts'
import type { ImportResult } from '../import-result.ts'
import { targetRoute } from './target-route.ts'
import { eitherCase, vendorKeys } from './vendors.ts'

/** A gateway config of Portkey's, parsed, as a configuration of Sluice. */
export function importPortkey(value: unknown): ImportResult {
  const reader = new ImportReader(value)
  const { root } = reader
  const variables = new Variables(['SLUICE_API_KEY', 'VERTEX_TOKEN', ...vendorKeys])
  const context: ImportContext = { reader, variables, vendors: new VendorTable() }
  const route = targetRoute(root, context)
  reader.note(
    'The model * accepts any name, and passes it to the vendor. Replace * by the names of your models, so that they are listed and can have prices and limits.',
  )
  reader.note(
    "Portkey passes the caller's own key to the vendor. Here callers need the key in SLUICE_API_KEY, and the service has the keys of vendors.",
  )
  const config: Config = {
    providers: context.vendors.asConfig(),
    models: route === undefined ? {} : { '*': route },
    keys: [{ id: 'caller', key: variable('SLUICE_API_KEY') }],
    ...cacheOf(root, reader),
    ...timeoutsOf(root),
    ...attemptsOf(root, route === undefined ? 1 : countTargets(route), reader),
  }
  return {
    config,
    unsupported: reader.unsupported(unsupportedSettings),
    notes: [...reader.notes],
    secrets: variables.extracted,
  }
}

function cacheOf(root: ImportNode, reader: ImportReader): Pick<Config, 'cache'> {
  const cache = root.at('cache')
  const mode = cache.isLeaf ? cache : cache.at('mode')
  if (!cache.isThere) return {}
  if (mode.value !== 'simple') {
    cache.reportUnsupported('Responses are cached for identical requests only.', 'Set cache.')
    return {}
  }
  mode.text()
  reader.note(cacheNote)
  const age = eitherCase(cache, 'max_age').count(1)
  if (age === undefined) reader.note('The cache has no max_age: a week is used, the default of Portkey.')
  return { cache: { ttlMs: (age ?? 604_800) * 1000 } }
}

function timeoutsOf(root: ImportNode): Pick<Config, 'timeouts'> {
  const ms = eitherCase(root, 'request_timeout').count(1)
  return ms === undefined ? {} : { timeouts: { firstByteMs: ms, responseMs: ms } }
}

function attemptsOf(
  root: ImportNode,
  targets: number,
  reader: ImportReader,
): Pick<Config, 'maxAttempts' | 'retry'> {
  const attempts = root.at('retry').at('attempts').count(0)
  if (attempts === undefined) return targets > 3 ? { maxAttempts: targets } : {}
  reader.note('maxAttempts counts the calls of a request over all its targets; Portkey counts per target.')
  const header = eitherCase(root.at('retry'), 'use_retry_after_header')
  if (header.value === true) header.markRead()
  return { maxAttempts: attempts + targets, ...(attempts === 0 ? { retry: false as const } : {}) }
}

const guardrails = {
  why: 'Guardrails are not converted.',
  fix: 'Set hooks: see docs/hooks.md.',
}

/** Settings of Portkey that Sluice does not support, or has elsewhere, by path. */
const unsupportedSettings: UnsupportedHints = {
  input_guardrails: guardrails,
  output_guardrails: guardrails,
  before_request_hooks: guardrails,
  after_request_hooks: guardrails,
  forward_headers: {
    why: "A caller's headers are never sent to a vendor.",
    fix: 'Add headers to the provider.',
  },
  'retry.on_status_codes': {
    why: 'Which failures are retried is fixed.',
    fix: 'See the table in docs/retries.md.',
  },
  'targets[].retry': {
    why: 'Retries of targets are not converted.',
    fix: 'Set maxAttempts and retry of the target.',
  },
  'targets[].cache': {
    why: 'The cache is global, not per target.',
    fix: 'Set cache.',
  },
  'targets[].request_timeout': {
    why: 'Timeouts of targets are not converted.',
    fix: 'Set timeouts.firstByteMs and timeouts.responseMs of the target.',
  },
  'targets[].input_guardrails': guardrails,
  'targets[].output_guardrails': guardrails,
  metadata: {
    why: 'A configuration adds no metadata to requests.',
    fix: 'Give keys tags.',
  },
}
