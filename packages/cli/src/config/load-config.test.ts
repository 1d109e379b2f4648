import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { scalars } from './gateway-options.ts'
import { InvalidConfigError } from './issues/invalid-config-error.ts'
import { loadConfig } from './load-config.ts'

const keys = [{ id: 'ann', key: 'sk-ann' }]
const sound = { providers: { local: {} }, models: { demo: 'local/demo' }, keys }

/** What a configuration comes to, of a file of that name. */
async function loaded(text: string | object, { name = 'sluice.config.json', env = {} } = {}) {
  const cwd = temporaryFolder({ [name]: typeof text === 'string' ? text : JSON.stringify(text) })
  return (await loadConfig(undefined, { cwd, env })).config
}

const failure = async (...asked: Parameters<typeof loaded>): Promise<Error> =>
  loaded(...asked).then(
    () => expect.fail('it is valid'),
    (error: Error) => error,
  )

/** The text that a file has, where code would fill in the reference itself. */
const ref = (name: string) => `\${${name}}`

describe('the header with the ids of callers', () => {
  it.each([
    [true, true],
    [false, false],
    ['x-correlation-id', 'x-correlation-id'],
    [ref('OF_ENV'), true],
  ])('may be %j', async (clientRequestId, expected) => {
    const config = await loaded({ ...sound, clientRequestId }, { env: { OF_ENV: 'true' } })
    expect(scalars(config)).toMatchObject({ clientRequestId: expected })
  })

  it.each([1, 'two words', 'authorization', { toString: null }])('may not be %j', async clientRequestId => {
    const { message } = await failure({ ...sound, clientRequestId })
    expect(message).toMatch(/clientRequestId.*: got .*, expected true, false or the name of a header/)
  })
})

describe('the timeout of stores', () => {
  it('is that of limits and of all other stores of the gateway', async () => {
    const state = { redis: 'redis://host', storeTimeoutMs: 1_000 }
    const config = await loaded({ ...sound, state })
    expect(config.state).toEqual(state)
    expect(scalars(config)).toMatchObject({ storeTimeoutMs: 1_000 })
    expect(scalars(await loaded(sound))).not.toHaveProperty('storeTimeoutMs')
  })

  it.each([0, 1.5, 2_001, 'soon', null])('may not be %j', async storeTimeoutMs => {
    const { message } = await failure({ ...sound, state: { redis: 'redis://host', storeTimeoutMs } })
    expect(message).toMatch(/state\.storeTimeoutMs.*: got .*, expected a whole number from 1 to 2000/)
  })
})

describe('the journal of the ledger', () => {
  const journal = './sluice-journal'

  it('is a folder beside PostgreSQL', async () => {
    const state = { database: 'postgres://me@host/sluice', journal }
    expect((await loaded({ ...sound, state })).state).toEqual(state)
  })

  it.each([
    [{ journal }, 'got a folder, but no database'],
    [{ database: 'file:./sluice.db', journal }, 'got a folder, but a database in a file'],
    [{ database: 'postgres://me@host/sluice', journal: '' }, "expected a folder, such as './sluice-journal'"],
    [
      { database: 'postgres://me@host/sluice', journal: true },
      "expected a folder, such as './sluice-journal'",
    ],
  ])('is not valid as %j', async (state, what) => {
    const { message } = await failure({ ...sound, state })
    expect(message).toContain('state.journal')
    expect(message).toContain(what)
  })
})

describe('a file', () => {
  it('is found by its name, or by the one that is given', async () => {
    const cwd = temporaryFolder({
      'sluice.config.yml': JSON.stringify(sound),
      'conf/other.json': JSON.stringify(sound),
    })
    expect((await loadConfig(undefined, { cwd, env: {} })).file).toBe(join(cwd, 'sluice.config.yml'))
    expect((await loadConfig('conf/other.json', { cwd, env: {} })).file).toBe(join(cwd, 'conf/other.json'))
    await expect(loadConfig('gone.json', { cwd, env: {} })).rejects.toThrow('File not found: gone.json.')
    writeFileSync(join(cwd, 'sluice.config.json'), '{}')
    await expect(loadConfig(undefined, { cwd, env: {} })).rejects.toThrow(
      'Found sluice.config.json and sluice.config.yml.',
    )
    await expect(loadConfig(undefined, { cwd: temporaryFolder(), env: {} })).rejects.toThrow(
      'No configuration found',
    )
  })

  it('may be YAML, with anchors', async () => {
    const text = `
providers: { local: {} }
models:
  demo: &place local/demo   # a comment
  also: *place
keys: [{ id: ann, key: sk-ann }]
`
    expect((await loaded(text, { name: 'sluice.config.yaml' })).models).toEqual({
      demo: 'local/demo',
      also: 'local/demo',
    })
  })

  it.each(['sluice.config.ts', 'sluice.config.mts', 'sluice.config.mjs', 'sluice.config.js'])(
    'may be code: %s',
    async name => {
      const text = `
        import { fallback } from '@sluice/core'
        import { withParameters } from '@sluice/core/routing'
        import { local } from '@sluice/providers'
        import { defineConfig } from 'sluice'
        const vendor = local()
        export default defineConfig({
          providers: { own: vendor },
          models: { demo: 'own/demo', smart: fallback('demo', withParameters(vendor('other'), { temperature: 0 })) },
          keys: [{ id: 'ann', key: '\${KEY}' }],
        })`
      const config = await loaded(text, { name, env: { KEY: 'sk-of-ann' } })
      expect(config.keys).toEqual([{ id: 'ann', key: 'sk-of-ann' }])
      expect(config.models.demo).toBe('own/demo')
    },
  )

  it('of code is run anew each time, with what it imports, and says what it was made of', async () => {
    const cwd = temporaryFolder({
      'sluice.config.ts': `import { name } from './names.ts'
        export default async () => ({ providers: { local: {} }, models: { [name]: 'local/x' }, keys: ${JSON.stringify(keys)} })`,
      'names.ts': `export const name: string = 'one'`,
    })
    const first = await loadConfig(undefined, { cwd, env: {} })
    expect(first.files.map(file => file.slice(cwd.length + 1)).sort()).toEqual([
      'names.ts',
      'sluice.config.ts',
    ])
    writeFileSync(join(cwd, 'names.ts'), `export const name: string = 'two'`)
    const second = await loadConfig(undefined, { cwd, env: {} })
    expect([first, second].map(({ config }) => Object.keys(config.models))).toEqual([['one'], ['two']])
  })

  it.each<[name: string, text: string, told: string]>([
    [
      'sluice.config.json',
      '{\n  "models": {\n    "a": "b",\n  }\n}',
      'line 4, column 3: expected a key in double quotes',
    ],
    ['sluice.config.json', '{ "models": // here\n 1 }', 'line 1, column 13: expected a value'],
    ['sluice.config.json', '{ "a": "sk-secret }', 'line 1, column 8: expected a value'],
    ['sluice.config.json', '{ "a": 1 } x', 'line 1, column 12: expected the end of the file'],
    ['sluice.config.json', '', 'line 1, column 1: expected a value'],
    ['sluice.config.json', '{ "a": 1,\n "a": 2 }', 'line 2, column 2: duplicate key in an object'],
    ['sluice.config.yaml', 'models:\n  a: "sk-secret\n', 'line'],
    ['sluice.config.yaml', 'a: 1\nb: 2\na: 3\n', 'line 3, column 1: duplicate key in an object'],
    ['sluice.config.yaml', 'a: *nowhere\n', 'alias'],
    ['sluice.config.ts', 'export default {', 'Cannot load sluice.config.ts: ParseError: Unexpected token (/'],
    ['sluice.config.ts', 'throw new Error("no such thing")', 'Cannot load sluice.config.ts: no such thing'],
    ['sluice.config.ts', 'export const a = 1', 'exports no configuration'],
    ['sluice.config.ts', 'export default 7', 'exports no configuration'],
  ])('that cannot be read is told of by its place and without its text: %s %j', async (name, text, told) => {
    const { message } = await failure(text, { name })
    expect(message).toContain(name)
    expect(message).toContain(told)
    expect(message).not.toContain('sk-secret')
  })

  it('has a bound, and is UTF-8', async () => {
    expect((await failure(`"${'x'.repeat(1_100_000)}"`)).message).toMatch(
      /has 1100002 bytes, expected at most 1048576/,
    )
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'sluice.config.json'), Buffer.from([0x22, 0xff, 0x22]))
    await expect(loadConfig(undefined, { cwd, env: {} })).rejects.toThrow('is not valid UTF-8')
    await expect(loadConfig('.', { cwd: temporaryFolder(), env: {} })).rejects.toThrow("ends with ''")
  })

  it('of YAML may not grow beyond measure by its aliases', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let at = 1; at < 9; at++)
      lines.push(
        `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(', ')}]`,
      )
    expect((await failure(lines.join('\n'), { name: 'sluice.config.yaml' })).message).toContain(
      'there are too many aliases',
    )
  })
})

describe('variables', () => {
  it('stand in every text, with defaults, and as numbers and switches', async () => {
    const env = { KEY: 'sk-1', PORT: '9000', CACHE: 'true', EMPTY: '' }
    const config = await loaded(
      {
        ...sound,
        models: { demo: `local/${ref('NAME:-demo')}`, empty: `local/${ref('EMPTY:-x')}` },
        keys: [{ id: 'ann', key: ref('KEY'), tags: { text: `$${ref('KEY')} and ${ref('KEY')}` } }],
        server: { port: ref('PORT') },
        idempotency: ref('CACHE'),
      },
      { env },
    )
    expect(config).toMatchObject({
      models: { demo: 'local/demo', empty: 'local/x' },
      keys: [{ key: 'sk-1', tags: { text: `${ref('KEY')} and sk-1` } }],
      server: { port: 9000 },
      idempotency: true,
    })
  })

  it('that are missing, empty or wrong are told of by their names, and never by what they hold', async () => {
    const { message } = await failure(
      {
        ...sound,
        providers: {
          local: {},
          openai: { apiKey: ref('MISSING') },
          groq: { apiKey: ref('EMPTY') },
          xai: { apiKey: ref('no name') },
        },
        server: { port: ref('PORT'), basePath: ref('BASE') },
        telemetry: { log: ref('LOG') },
        models: { demo: ref('PLACE') },
      },
      { env: { EMPTY: '', PORT: 'hunter22', BASE: 'hunter22', LOG: 'hunter22', PLACE: 'hunter22' } },
    )
    expect(message.split('\n')).toEqual([
      'sluice.config.json has 7 errors:',
      `- providers.openai.apiKey (line 1): got ${ref('MISSING')}, which is not set, expected an environment variable that is set. Set MISSING, or add a default: ${ref('MISSING:-text')}.`,
      `- providers.groq.apiKey (line 1): got '${ref('EMPTY')}', which is an empty string, expected a key, such as ${ref('NAME')} from the environment.`,
      `- providers.xai.apiKey (line 1): got an invalid reference after \`\${\`, expected a reference, such as ${ref('NAME')} or ${ref('NAME:-text')}. Write $\${ for a literal \${.`,
      `- models.demo (line 1): got '${ref('PLACE')}', expected a model of this configuration, or a provider of it and its model, such as 'openai/gpt-4.1'.`,
      `- server.port (line 1): got '${ref('PORT')}', expected a whole number from 0 to 65535.`,
      `- server.basePath (line 1): got '${ref('BASE')}', expected a path that begins with '/' and does not end with one, such as '/v1'.`,
      `- telemetry.log (line 1): got '${ref('LOG')}', expected 'auto' or 'pretty' or 'json' or 'off'.`,
    ])
  })

  it.each([`a-${ref(`ONE:-${ref('TWO')}`)}-b`, ref(`ONE:-a${ref('TWO')}`), ref(`ONE${ref('TWO')}`)])(
    'hold no others, set or not: %s',
    async key => {
      for (const env of [{}, { ONE: 'one', TWO: 'two' }]) {
        const { message } = await failure({ ...sound, keys: [{ id: 'a', key }] }, { env })
        expect(message).toContain('- keys[0].key (line 1): got an invalid reference after')
      }
    },
  )

  it('are looked for in no more time where a text has very many beginnings', async () => {
    const key = '$'.concat('{a:-').repeat(100_000)
    const { message } = await failure({ ...sound, keys: [{ id: 'a', key }] })
    expect(message).toContain('has an error:')
  })
})

describe('faults', () => {
  it('are told all at once, each with its path, its line and how to mend it', async () => {
    const text = `server:
  prot: 8080
  cors: app.example
providers:
  opnai: { apiKey: sk-secret }
  local: {}
  anthropic: { apikey: sk-secret }
  mine: { type: openai-compatible, baseURL: "https://me:sk-secret@host/v1" }
models:
  demo: locl/demo
  'gpt-4.1': [demo, smal]
  small: local
  a: b
  b: [c]
  c: a
  odd: { weigthed: [] }
  both: { to: demo, when: {} }
  half: { split: { one: { to: demo, share: 0.4 } } }
  twin: { hedge: [local/x, local/x], afterMs: 10 }
  cold: { to: local/x, parameters: { temperature: 9 } }
keys:
  - { id: ann }
  - { id: bob, key: sk-secret, models: [smalll] }
limits:
  - { kind: requests, limit: 10, per: week }
retry: { baseMs: 9000 }
`
    const error = await failure(text, { name: 'sluice.config.yaml' })
    expect(error).toBeInstanceOf(InvalidConfigError)
    const { issues } = error as InvalidConfigError
    const told = Object.fromEntries(
      issues.map(({ path, problem, fix, line }) => [`${path}:${line}`, `${problem}. ${fix ?? ''}`.trim()]),
    )
    expect(told).toMatchObject({
      'server.prot:2': expect.stringContaining("Did you mean 'port'?"),
      'server.cors:3':
        "got 'app.example', expected '*' or a list of origins, such as ['https://app.example'].",
      'providers.opnai:5': expect.stringContaining("Did you mean 'openai'?"),
      'providers.anthropic.apikey:7': expect.stringContaining("Did you mean 'apiKey'?"),
      'providers.mine.baseURL:8': expect.stringContaining('got a string, expected no credentials'),
      'models.demo:10': expect.stringContaining("Did you mean 'local/demo'?"),
      "models['gpt-4.1'][1]:11": expect.stringContaining("Did you mean 'small'?"),
      'models.small:12': expect.stringContaining("'local' is a provider: name one of its models"),
      'models.a:13': "refers to itself: 'a' > 'b' > 'c' > 'a'. Point one of them to a provider.",
      'models.odd:16': expect.stringContaining("Did you mean 'weighted'?"),
      'models.both:17': expect.stringContaining('got an object with to, when'),
      'models.half:18': expect.stringContaining('got shares with the sum 0.4, expected the sum 1'),
      'models.twin:19': expect.stringContaining('got the target of the first entry, expected another target'),
      'models.cold.parameters:20': expect.stringContaining('temperature'),
      'keys[0]:22': expect.stringMatching(
        /^got neither key nor hash, expected exactly one of them\. .*is set\.$/,
      ),
      'keys[1].models[0]:23': expect.stringContaining("Did you mean 'small'?"),
      'limits[0].per:25': expect.stringContaining("got 'week'"),
      'retry.baseMs:26': 'got 9000, expected at most retry.maxMs, which is 8000.',
    })
    expect(issues).toHaveLength(18)
    expect(error.message).not.toContain('sk-secret')
  })

  it('of a provider are told once, and not again for the models that it answers', async () => {
    const openai = { apiKey: ref('MISSING') }
    for (const models of [
      { chat: ['openai/a'], 'openai/*': 'openai/*' },
      { small: 'openai/a', smart: ['small', 'local/b'] },
    ]) {
      const { message } = await failure({ ...sound, providers: { local: {}, openai }, models })
      expect(message).toMatch(/^sluice\.config\.json has an error:\n- providers\.openai\.apiKey .*$/)
    }
  })

  it('are few where a configuration is none at all', async () => {
    expect((await failure('[1]')).message).toBe(
      'sluice.config.json has an error:\n- the configuration (line 1): got a list, expected an object with models, such as { models: { ... } }.',
    )
    expect((await failure('{}')).message).toContain(
      '- models (line 1): got nothing, expected a value: it is required.',
    )
    expect((await failure({ ...sound, models: {} })).message).toContain(
      '- models (line 1): got an empty object',
    )
  })

  it('of what the console may do in its chat name the rule and the model', async () => {
    const rule = { kind: 'requests', limit: 1.5, per: 'day', operations: ['embed', 'countTokens'] }
    const chat = { models: ['demos'], limits: [rule], limit: [] }
    const adminKey = 'admin-admin-admin'
    const { message } = await failure({ ...sound, console: { adminKey, chat } })
    expect(message).toMatch(/console\.chat\.limit .*limits/)
    const { limit: _, ...known } = chat
    const told = (await failure({ ...sound, console: { adminKey, chat: known } })).message
    expect(told).toMatch(/console\.chat\.models\[0\] .*'demos'/)
    expect(told).toMatch(/console\.chat\.limits\[0\]\.limit .*got 1\.5/)
    const unknown = { ...known, limits: [{ ...rule, operations: ['embed', 'chat'] }] }
    expect((await failure({ ...sound, console: { adminKey, chat: unknown } })).message).toMatch(
      /console\.chat\.limits\[0\]\.operations\[1\] .*got 'chat', expected .*'countTokens'/,
    )
  })

  it('say that nobody could call', async () => {
    expect((await failure({ ...sound, keys: undefined })).message).toContain(
      '- keys (line 1): got nothing, expected at least one kind of caller',
    )
  })

  it('are also names that reach for the prototype', async () => {
    const { message } = await failure(
      '{ "models": { "__proto__": "local/x" }, "__proto__": { "server": 1 }, "constructor": 1, "providers": { "__proto__": {} } }',
    )
    expect(message).toContain('- models.__proto__ (line 1): got that name, expected another name.')
    expect(message).toContain('- __proto__ (line 1): got an unknown setting')
    expect(message).toContain('- constructor (line 1): got an unknown setting')
    expect(({} as { server?: unknown }).server).toBeUndefined()
  })

  it('are labels that would be the same, and options that stand elsewhere', async () => {
    const telemetry = { tagLabels: ['team', 'a-b', 'a.b'] }
    expect((await failure({ ...sound, telemetry })).message).toContain(
      "- telemetry.tagLabels[2] (line 1): makes the label 'a_b', which another tag makes too.",
    )
    const text = `export default { ...${JSON.stringify(sound)}, gateway: { basePath: '/x', observe: () => {}, maxAttempts: 0 } }`
    const { message } = await failure(text, { name: 'sluice.config.ts' })
    expect(message).toContain(
      '- gateway.basePath: got an option that belongs elsewhere, expected server.basePath instead.',
    )
    expect(message).toContain('- gateway.observe: got an option that belongs elsewhere')
    expect(message).toContain('- gateway.maxAttempts: got 0, expected a whole number from 1.')
  })

  it('are counted where they are very many, in no more time for each', async () => {
    const models = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`m${at}`, at]))
    expect((await failure({ ...sound, models })).message).toMatch(/- and so on: 5950 more\.$/)
  })

  it('are told for what is nested too deep, or holds itself', async () => {
    expect(
      (await failure(`{ "models": { "a": ${'['.repeat(5_000)}${']'.repeat(5_000)} } }`)).message,
    ).toContain('more than 64 levels')
    const text = 'const list: unknown[] = []; list.push(list); export default { models: { a: list } }'
    expect((await failure(text, { name: 'sluice.config.ts' })).message).toContain('a circular reference')
  })
})
