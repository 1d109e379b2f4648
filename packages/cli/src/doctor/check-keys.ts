import type { TypedConfig } from '../config/config.ts'
import type { Environment } from '../config/load/with-environment.ts'
import { isPlainObject } from '../config/shape/collections.ts'
import { knownVendors } from '../dev/environment-vendors.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Texts of examples, and texts that nobody would issue as a key. */
const placeholder =
  /\.\.\.|…|^<.*>$|^\[.*\]$|^(?:x+|sk-x+|your[-_ ].*|.*[-_ ]your[-_ ].*|change[-_ ]?me|replace[-_ ]?me|todo|dummy|placeholder|example|secret|password|api[-_ ]?key)$/i

/** In characters. A shorter key can be guessed. */
const shortestKey = 8

/** Whether a key is one of an example. */
export function isPlaceholder(key: string): boolean {
  return key.length < shortestKey || placeholder.test(key)
}

/** The API keys of a provider: those of its configuration, else the one of the variable that its vendor's library reads. */
function keysOf(name: string, provider: unknown, env: Environment = {}): readonly string[] {
  if (!isPlainObject(provider)) return []
  const { type = name, apiKey = env[knownVendors.find(vendor => vendor.name === type)?.keyVariable ?? ''] } =
    provider
  return (Array.isArray(apiKey) ? apiKey : [apiKey]).flatMap((each: unknown) => {
    const key = isPlainObject(each) ? each.key : each
    return typeof key === 'string' ? [key] : []
  })
}

/** All keys of a configuration: of vendors, of callers, and of the console. */
export function secretsOf({ providers = {}, keys = [], console: page }: TypedConfig): readonly string[] {
  return [
    ...Object.entries(providers).flatMap(([name, provider]) => keysOf(name, provider)),
    ...keys.flatMap(({ key }) => (typeof key === 'string' ? [key] : [])),
    ...(page && typeof page.adminKey === 'string' ? [page.adminKey] : []),
  ].filter(secret => secret.length >= shortestKey)
}

/** Checks that keys are no placeholders. */
export function checkKeys(
  { providers = {}, keys = [], console: page }: TypedConfig,
  env: Environment,
): readonly Finding[] {
  const vendorFix = 'Set the key that the vendor has issued, in the environment or in .env'
  const ownFix = 'Create one: openssl rand -base64 32'
  const found = [
    ...Object.entries(providers).flatMap(([name, provider]) =>
      keysOf(name, provider, env).map(key => ({ check: `key of provider ${name}`, key, fix: vendorFix })),
    ),
    ...keys.flatMap(({ id, key }) =>
      typeof key === 'string' ? [{ check: `key of caller ${id}`, key, fix: ownFix }] : [],
    ),
    ...(page && typeof page.adminKey === 'string'
      ? [{ check: 'console.adminKey', key: page.adminKey, fix: ownFix }]
      : []),
  ]
  return found.map(({ check, key, fix }) =>
    isPlaceholder(key) ? warning(check, 'It is a placeholder, or very short.', fix) : ok(check, 'is set'),
  )
}
