import type { TypedConfig } from '../config/config.ts'
import type { Environment } from '../config/load/with-environment.ts'
import { isPlainObject } from '../config/shape/collections.ts'
import { knownVendors } from '../dev/environment-vendors.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Texts of examples, and texts that nobody would issue as a key. */
const placeholder =
  /\.\.\.|…|replace[-_ ]?me|^<.*>$|^\[.*\]$|^(?:x+|sk-x+|your[-_ ].*|.*[-_ ]your[-_ ].*|change[-_ ]?me|todo|dummy|placeholder|example|secret|password|api[-_ ]?key)$/i

/** In characters. A shorter key can be guessed. */
const shortestKey = 8

/** Whether a key is one of an example. */
export function isPlaceholder(key: string): boolean {
  return key.length < shortestKey || placeholder.test(key)
}

/** The API keys of a provider: those of its configuration, else the one of the variable that its vendor's library reads. */
export function keysOf(name: string, provider: unknown, env: Environment): readonly string[] {
  if (!isPlainObject(provider)) return []
  const { type = name, token, tokenProvider } = provider
  const variable =
    type === 'azure' && token === undefined && tokenProvider === undefined
      ? 'AZURE_OPENAI_API_KEY'
      : knownVendors.find(vendor => vendor.name === type)?.keyVariable
  const { apiKey = env[variable ?? ''] } = provider
  return (Array.isArray(apiKey) ? apiKey : [apiKey]).flatMap((each: unknown) => {
    const key = isPlainObject(each) ? each.key : each
    return typeof key === 'string' ? [key] : []
  })
}

/** The members of a configuration that are secret, with all that is in them. */
const secretMembers = new Set([
  ...['adminKey', 'apiKey', 'bearerToken', 'pepper', 'previousKeys', 'secret', 'secretAccessKey'],
  ...['sessionToken', 'token'],
])

/** All keys, tokens and passwords of a configuration: of vendors, of callers, of the console and of databases. */
export function secretsOf(config: TypedConfig): readonly string[] {
  const { alerts, console: page, hooks, jwt, keys = [], log, providers, state, telemetry } = config
  const bodies = log ? log.bodies : undefined
  return [
    ...secretsIn({ alerts, page, hooks, jwt, log, providers, state, telemetry }),
    ...keys.map(({ key }) => key),
    bodies ? bodies.key : undefined,
    passwordOf(state?.database),
    passwordOf(state?.redis),
  ].filter(secret => secret !== undefined && secret.length >= shortestKey) as string[]
}

/** No member of a configuration is deeper. Hooks in TypeScript could refer to themselves. */
const maxDepth = 8

function secretsIn(value: unknown, isSecret = false, depth = 0): readonly string[] {
  if (typeof value === 'string') return isSecret ? [value] : []
  if (depth === maxDepth) return []
  if (Array.isArray(value)) return value.flatMap(each => secretsIn(each, isSecret, depth + 1))
  if (!isPlainObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'label' ? [] : secretsIn(each, isSecret || secretMembers.has(name), depth + 1),
  )
}

function passwordOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).password : undefined
}

/** Checks that keys are no placeholders. */
export function checkKeys(
  { providers = {}, keys = [], console: page, jwt, state, telemetry }: TypedConfig,
  env: Environment,
): readonly Finding[] {
  const vendorFix = 'Set the key that the vendor has issued, in the environment or in .env'
  const ownFix = 'Create one: openssl rand -base64 32'
  const pepper = state?.pepper
  const peppers = typeof pepper === 'object' ? Object.entries(pepper) : [['', pepper] as const]
  const metrics = telemetry?.metrics
  const secrets: readonly (readonly [check: string, secret: unknown])[] = [
    ['console.adminKey', page ? page.adminKey : undefined],
    ...peppers.map(([version, secret]) => [`state.pepper${version && `.${version}`}`, secret] as const),
    ['telemetry.metrics.token', typeof metrics === 'object' ? metrics.token : undefined],
    ['jwt.secret', jwt?.secret],
  ]
  const found = [
    ...Object.entries(providers).flatMap(([name, provider]) =>
      keysOf(name, provider, env).map(key => ({ check: `key of provider ${name}`, key, fix: vendorFix })),
    ),
    ...keys.flatMap(({ id, key }) =>
      typeof key === 'string' ? [{ check: `key of caller ${id}`, key, fix: ownFix }] : [],
    ),
    ...secrets.flatMap(([check, key]) => (typeof key === 'string' ? [{ check, key, fix: ownFix }] : [])),
  ]
  return found.map(({ check, key, fix }) =>
    isPlaceholder(key) ? warning(check, 'It is a placeholder, or very short.', fix) : ok(check, 'is set'),
  )
}
