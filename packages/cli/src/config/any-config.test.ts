import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfig } from './check-config.ts'
import { compileConfig } from './compile-config.ts'
import { configMembers } from './config-shape.ts'
import { InvalidConfigError } from './issues/invalid-config-error.ts'
import { noPosition } from './load/source.ts'
import { VendorPool } from './providers/vendor-pool.ts'
import { vendors } from './providers/vendors.ts'

const secret = 'hunter2-hunter2-hunter2'
const reference = `\${SECRET}`

const references = [reference, `https://me:${reference}@host`, `x ${reference} y`]

/** Words that have a meaning here, so that chance gets beyond the first check. */
const words = [
  ...Object.keys(configMembers),
  ...Object.keys(vendors),
  ...Object.values(vendors).flatMap(({ members }) => Object.keys(members)),
  ...[
    'to',
    'weight',
    'fallback',
    'weighted',
    'split',
    'sticky',
    'by',
    'hedge',
    'afterMs',
    'when',
    'use',
    'otherwise',
  ],
  ...[
    'id',
    'key',
    'hash',
    'kind',
    'limit',
    'per',
    'database',
    'redis',
    'pepper',
    'adminKey',
    'secret',
    'jwks',
    'type',
  ],
  ...['demo', 'local/x', 'demo/*', '*', '__proto__', 'constructor', 'toString', ''],
]

const { config } = fc.letrec<{ config: unknown; value: unknown }>(tie => ({
  config: fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 8 }),
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.constantFrom(...words),
    fc.constantFrom(...references),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 5 }),
  ),
}))

function faultsOf(value: unknown): string {
  const source = { value, positionOf: noPosition }
  const env = { SECRET: secret }
  try {
    const { config, issues } = checkConfig(source, 'a file', env)
    compileConfig(config, issues, new VendorPool())
    return ''
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.message
    throw error
  }
}

describe('any value as a configuration', () => {
  it('has no other error than its faults, which hold no secret', () => {
    fc.assert(
      fc.property(fc.oneof(config, fc.jsonValue()), value => {
        expect(faultsOf(value)).not.toContain(secret)
      }),
      { numRuns: 1_000 },
    )
  })

  it('does so wherever one value of a sound configuration is another', () => {
    const sound = {
      server: { port: 1, cors: ['https://a.example'] },
      providers: {
        local: {},
        openai: { apiKey: secret },
        bedrock: { region: 'us-east-1', credentials: { accessKeyId: secret, secretAccessKey: secret } },
      },
      models: {
        demo: 'local/x',
        smart: {
          weighted: [
            { to: 'demo', weight: 1 },
            { to: ['openai/x'], weight: 2 },
          ],
        },
        trial: { split: { a: { to: 'demo', share: 0.5 }, b: { to: 'local/b', share: 0.5 } }, by: 'key' },
        long: {
          when: { promptLongerThan: 5, tag: { team: 'a' } },
          use: 'demo',
          otherwise: { to: 'local/y', parameters: { seed: 1 } },
        },
      },
      keys: [{ id: 'ann', key: secret, limits: [{ kind: 'requests', limit: 1, per: 'minute' }] }],
      jwt: { secret: `${secret}-${secret}`, issuer: 'me', audience: 'you' },
      limits: [{ kind: 'budget', limit: 5, per: 'day', currency: 'usd' }],
      hooks: [
        {
          type: 'redact',
          kinds: ['email'],
          patterns: [{ name: 'order', pattern: 'O-\\d+' }],
          principals: ['ann'],
        },
        { type: 'systemPrompt', text: 'Be brief.', models: ['demo'], position: 'after' },
        { type: 'requireJson', schema: { type: 'object' }, when: 'requested', tags: { team: 'a' } },
        { type: 'webhook', url: `https://hooks.example.com/${secret}`, secret: `${secret}-${secret}` },
      ],
      prices: { demo: { input: 1, output: 2 } },
      state: { database: 'postgres://me:hunter2-hunter2-hunter2@host/db', pepper: secret },
      console: { adminKey: secret },
      timeouts: { totalMs: 5 },
    }
    expect(faultsOf(sound)).toBe('')
    const paths = pathsOf(sound)
    fc.assert(
      fc.property(
        fc.constantFrom(...paths),
        fc.oneof(fc.jsonValue(), fc.constantFrom(...words), fc.constantFrom(...references)),
        (path, value) => {
          expect(faultsOf(changed(sound, path, value))).not.toContain(secret)
        },
      ),
      { numRuns: 500 },
    )
  })
})

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return [path, ...keys.flatMap(key => pathsOf(Reflect.get(value, key), [...path, key]))]
}

function changed(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other
  const copy = structuredClone(value) as object
  Reflect.set(copy, step, changed(Reflect.get(copy, step), rest, other))
  return copy
}
