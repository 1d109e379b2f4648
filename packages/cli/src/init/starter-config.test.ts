import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { environmentVendors } from '../dev/environment-vendors.ts'
import { starterConfig } from './starter-config.ts'
import { jsonText, typedText, yamlText } from './starter-text.ts'

const env = {
  OPENAI_API_KEY: 'sk-canary',
  OPENAI_BASE_URL: 'https://canary.example/v1',
  GROQ_API_KEY: 'gsk-canary',
}

const variable = (name: string) => `\${${name}}`

describe('starterConfig', () => {
  it('names the variables of vendors, and holds none of what is in them', () => {
    const sections = starterConfig({ vendors: environmentVendors(env), apiKey: true })
    const config = JSON.parse(jsonText(sections))
    expect(config).toMatchObject({
      providers: {
        openai: { apiKey: variable('OPENAI_API_KEY'), baseURL: variable('OPENAI_BASE_URL') },
        groq: { apiKey: variable('GROQ_API_KEY') },
      },
      models: {
        chat: ['openai/gpt-4o-mini', 'groq/llama-3.3-70b-versatile'],
        'openai/*': 'openai/*',
        'groq/*': 'groq/*',
      },
      keys: [{ id: 'me', key: variable('SLUICE_API_KEY') }],
    })
    for (const text of [jsonText, yamlText, typedText].map(write => write(sections)))
      expect(text).not.toContain('canary')
    expect(parse(yamlText(sections))).toEqual(config)
  })

  it('has a model without any vendor, too', () => {
    const sections = starterConfig({ vendors: [], apiKey: false })
    expect(JSON.parse(jsonText(sections))).toMatchObject({
      providers: { local: {} },
      models: { demo: 'local/demo' },
    })
    expect(typedText(sections)).toMatchInlineSnapshot(`
      "import { defineConfig } from 'sluice'

      export default defineConfig({
        // This machine only. 0.0.0.0 is for all that can reach it.
        server: { host: '127.0.0.1', port: 8787 },

        // local is a stand-in, and no language model.
        providers: { local: {} },

        // What callers may ask for, and where it is answered: of a list the next one where one fails.
        models: { demo: 'local/demo' },

        // For each key.
        limits: [{ kind: 'requests', limit: 60, per: 'minute' }],

        // Where keys and the record of each request are kept. postgres://... serves several processes.
        state: { database: 'file:./sluice.db' },
      })
      "
    `)
  })
})
