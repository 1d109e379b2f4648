import { describe, expect, it } from 'vitest'
import type { TypedConfig } from '../config/config.ts'
import { modelToTry, shownModels } from './banner.ts'
import { devConfig } from './dev-config.ts'
import { devOverlay } from './dev-overlay.ts'
import { devNotes } from './dev-source.ts'
import type { LocalServer } from './discover.ts'
import { environmentVendors } from './environment-vendors.ts'

const vendors = environmentVendors({ OPENAI_API_KEY: 'sk-canary', GROQ_API_KEY: 'gsk-canary' })
const server: LocalServer = {
  name: 'ollama',
  title: 'Ollama',
  origin: 'http://127.0.0.1:11434',
  models: ['qwen3:8b'],
  unusable: 2,
}

describe('devConfig', () => {
  it('answers by vendors and servers what is theirs, and by the stand-in what nobody else could', () => {
    const config = devConfig({ vendors, servers: [server] })
    expect(config.providers).toEqual({
      openai: { apiKey: 'sk-canary' },
      groq: { apiKey: 'gsk-canary' },
      ollama: { baseURL: 'http://127.0.0.1:11434/v1' },
      local: {},
    })
    expect(config.models).toMatchObject({
      'vendora-4o': 'openai/gpt-4o',
      'vendorc-2.5-flash': 'local/vendorc-2.5-flash',
      'ollama/qwen3:8b': 'ollama/qwen3:8b',
      'openai/*': 'openai/*',
      'groq/*': 'groq/*',
      'ollama/*': 'ollama/*',
      local: 'local/local',
    })
    // No list, and so no fallback: a vendor that fails is not followed by the stand-in.
    for (const route of Object.values(config.models)) expect(route).toBeTypeOf('string')
  })

  it('serves its models with nothing at all', () => {
    const { models } = devConfig({ vendors: [], servers: [] })
    for (const route of Object.values(models)) expect(route).toMatch(/^local\//)
    expect(Object.keys(models)).not.toContain('openai/*')
  })

  it('begins with what answers truly: the models of vendors and servers, then the stand-in under its own name', () => {
    const names = (facts: Parameters<typeof devConfig>[0]) => Object.keys(devConfig(facts).models)
    expect(names({ vendors: [], servers: [] })[0]).toBe('local')
    expect(names({ vendors: [], servers: [server] }).slice(0, 2)).toEqual(['ollama/qwen3:8b', 'local'])
    expect(names({ vendors, servers: [server] })[0]).toBe('gpt-5.5')
    const all = names({ vendors, servers: [server] })
    expect(all.indexOf('llama-3.3-70b-versatile')).toBeLessThan(all.indexOf('ollama/qwen3:8b'))
    expect(all.indexOf('local')).toBeLessThan(all.indexOf('claude-sonnet-5'))
  })
})

describe('devOverlay', () => {
  const addition = { key: 'sk-dev', adminKey: 'admin', database: undefined, devDatabase: 'file:dev.db' }
  const config: TypedConfig = {
    models: { demo: 'local/demo' },
    keys: [{ id: 'dev', key: 'theirs' }],
    console: { adminKey: 'own' },
    state: { database: 'file:own.db', redis: 'redis://x' },
  }

  it('adds a key, the page and a place to keep things, and leaves what a configuration says', () => {
    expect(devOverlay(config, addition)).toEqual({
      ...config,
      keys: [
        { id: 'dev', key: 'theirs' },
        { id: 'dev-2', key: 'sk-dev' },
      ],
    })
    expect(devOverlay({ models: config.models }, addition)).toMatchObject({
      keys: [{ id: 'dev', key: 'sk-dev' }],
      console: { adminKey: 'admin' },
      state: { database: 'file:dev.db' },
    })
    expect(devOverlay({ ...config, console: false }, addition).console).toBe(false)
  })

  it('has alerts for the page, unless they would claim those of other processes', () => {
    const { models } = config
    expect(devOverlay({ models }, addition).alerts).toEqual({})
    expect(devOverlay({ models, state: { redis: 'redis://x' } }, addition).alerts).toBeUndefined()
    expect(devOverlay({ models, console: false }, addition).alerts).toBeUndefined()
    const alerts = { budgets: false } as const
    expect(devOverlay({ ...config, alerts }, addition).alerts).toEqual(alerts)
  })

  it('goes by the command line before the configuration', () => {
    expect(devOverlay(config, { ...addition, adminKey: undefined, database: ':memory:' })).toMatchObject({
      console: false,
      state: { database: ':memory:', redis: 'redis://x' },
    })
  })
})

describe('what is shown', () => {
  it('names who answers each model, and tries one that is real', () => {
    const shown = shownModels(devConfig({ vendors, servers: [server] }))
    const by = Object.fromEntries(shown.map(({ name, answeredBy }) => [name, answeredBy]))
    expect(by).toMatchObject({
      o1: 'openai (o1)',
      local: 'local()',
      'ollama/qwen3:8b': 'ollama (qwen3:8b)',
      'openai/*': 'openai (all its models)',
    })
    expect(modelToTry(shown)).toBe('gpt-5.5')
    expect(modelToTry(shownModels(devConfig({ vendors: [], servers: [server] })))).toBe('ollama/qwen3:8b')
    expect(modelToTry(shownModels({ models: { 'x/*': 'openai/*' } }))).toBeUndefined()
  })

  it('tells what was found and what to do, and no key', () => {
    const notes = devNotes({ vendors, servers: [server], looked: true, ollamaFault: undefined }).join('\n')
    expect(notes).toContain('OpenAI: models openai/..., with OPENAI_API_KEY.')
    expect(notes).toContain(
      'Found Ollama at 127.0.0.1:11434, with 1 model, called ollama/.... 2 more have names',
    )
    expect(notes).toContain('not a language model')
    expect(notes).not.toMatch(/canary|No Ollama/)
    const nothing = { vendors: [], servers: [], ollamaFault: 'OLLAMA_HOST is another machine.' }
    expect(devNotes({ ...nothing, looked: true }).join('\n')).toMatch(
      /another machine[\s\S]*No Ollama[\s\S]*OPENAI_API_KEY/,
    )
    expect(devNotes({ ...nothing, looked: false }).join('\n')).not.toContain('No Ollama')
  })
})
