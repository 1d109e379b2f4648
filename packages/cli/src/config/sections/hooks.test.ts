import type { Hook } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { checkConfig } from '../check-config.ts'
import { compileConfig } from '../compile-config.ts'
import type { CompiledConfig } from '../compiled-config.ts'
import { configSummary } from '../config-summary.ts'
import { gatewayOptions } from '../gateway-options.ts'
import { noPosition } from '../load/source.ts'
import { VendorPool } from '../providers/vendor-pool.ts'

const base = {
  providers: { local: {} },
  models: { demo: 'local/demo' },
  keys: [{ id: 'ann', key: 'sk-ann' }],
}
const secret = 'hunter2-hunter2-hunter2'

function compiled(hooks: unknown, env: Readonly<Record<string, string>> = {}): CompiledConfig {
  const source = { value: { ...base, hooks }, positionOf: noPosition }
  const { config, issues } = checkConfig(source, 'a file', env)
  return compileConfig(config, issues, new VendorPool())
}

function problem(hooks: unknown): string {
  try {
    compiled(hooks)
  } catch (error) {
    return (error as Error).message
  }
  return expect.fail('it is valid')
}

describe('the section hooks', () => {
  it('has the ready-made hooks, in their order', () => {
    const { hooks } = compiled([
      { type: 'redact', kinds: ['email'], patterns: [{ name: 'order', pattern: 'o-\\d+', flags: 'i' }] },
      {
        type: 'systemPrompt',
        text: 'Be brief.',
        position: 'after',
        models: ['demo', 'x-*'],
        onFailure: 'open',
      },
      { type: 'requireJson', schema: { type: 'object' }, when: 'requested', timeoutMs: 5 },
      { type: 'webhook', url: 'https://hooks.example.com/', secret, direction: 'both' },
      { type: 'redact', name: 'cards', kinds: ['card'], direction: 'response' },
    ])
    expect(hooks.map(({ name }) => name)).toEqual([
      'redact',
      'system-prompt',
      'require-json',
      'webhook',
      'cards',
    ])
    expect(hooks[1]).toMatchObject({ models: ['demo', 'x-*'], onFailure: 'open' })
    expect(hooks[2]).toMatchObject({ timeoutMs: 5 })
  })

  it('gives them to the gateway, and names them in the summary', () => {
    const made = compiled([{ type: 'redact' }, { type: 'systemPrompt', text: 'x', name: 'brief' }])
    expect(gatewayOptions(made, { cacheStore: undefined as never } as never).hooks).toBe(made.hooks)
    expect(configSummary(made.config, 'none')).toContain('hooks         redact, brief')
    expect(configSummary(compiled(undefined).config, 'none')).toContain('hooks         none')
  })

  it('limits them to principals and tags', () => {
    const [named, tagged] = compiled([
      { type: 'redact', principals: ['ann', 'team-*'] },
      { type: 'systemPrompt', text: 'x', tags: { team: 'search', plan: 'free' } },
    ]).hooks as [Hook, Hook]
    expect(['ann', 'team-1', 'bob', 'team-'].map(id => named.appliesTo!({ id }))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(tagged.appliesTo!({ id: 'a', tags: { team: 'search', plan: 'free' } })).toBe(true)
    expect(tagged.appliesTo!({ id: 'a', tags: { team: 'search' } })).toBe(false)
    expect(tagged.appliesTo!({ id: 'a' })).toBe(false)
    expect(compiled([{ type: 'redact' }]).hooks[0]!.appliesTo).toBeUndefined()
  })

  it('takes hooks of the user in TypeScript, and secrets from the environment', () => {
    const own: Hook = { name: 'own', onEnd() {} }
    const url = 'https://hooks.example.com/'
    const { hooks } = compiled([own, { type: 'webhook', url, secret: `\${SECRET}` }], { SECRET: secret })
    expect(hooks[0]).toBe(own)
    expect(hooks).toHaveLength(2)
  })

  it.each<[unknown, RegExp]>([
    [{}, /hooks: .*list of hooks/],
    [['redact'], /hooks\[0\]: .*type: 'redact'/],
    [[{ kinds: ['email'] }], /hooks\[0\]\.type: .*one of redact, systemPrompt, requireJson, webhook/],
    [[{ type: 'redacted' }], /hooks\[0\]\.type: .*Did you mean 'redact'/],
    [[{ type: 'redact', kinds: ['mail'] }], /hooks\[0\]\.kinds\[0\]/],
    [[{ type: 'redact', kind: ['email'] }], /hooks\[0\]\.kind: .*Did you mean 'kinds'/],
    [
      [{ type: 'redact', patterns: [{ name: 'a', pattern: '(' }] }],
      /hooks\[0\]\.patterns\[0\]\.pattern: .*valid regular/,
    ],
    [[{ type: 'redact', patterns: [{ name: 'email', pattern: 'a' }] }], /hooks\[0\]\.patterns\[0\]\.name/],
    [[{ type: 'redact', placeholder: { open: 'X' } }], /hooks\[0\]\.placeholder\.open/],
    [[{ type: 'systemPrompt' }], /hooks\[0\]\.text/],
    [
      [{ type: 'systemPrompt', text: 'x', models: ['dmo'] }],
      /hooks\[0\]\.models\[0\]: .*Did you mean 'demo'/,
    ],
    [[{ type: 'requireJson', schema: { $ref: '#/none' } }], /hooks\[0\]\.schema/],
    [[{ type: 'requireJson', onFailure: 'ajar' }], /hooks\[0\]\.onFailure/],
    [[{ type: 'webhook', url: 'https://hooks.example.com/' }], /hooks\[0\]\.secret/],
    [[{ type: 'webhook', url: 'https://127.0.0.1/', secret }], /hooks\[0\]\.url: .*public host/],
    [[{ type: 'redact' }, { type: 'redact' }], /hooks\[1\]\.name: .*a name of its own/],
  ])('is checked: %j', (hooks, message) => {
    expect(problem(hooks)).toMatch(message)
    expect(problem(hooks)).not.toContain(secret)
  })
})
