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
        // Only this machine can connect. With 0.0.0.0 as host, other machines can, too.
        server: { host: '127.0.0.1', port: 8787 },

        // local is built in, and not a language model.
        providers: { local: {} },

        // The names that clients request, and their targets. In a list, the next one is called if one fails.
        models: { demo: 'local/demo' },

        // Applies to each key.
        limits: [{ kind: 'requests', limit: 60, per: 'minute' }],

        // Stores keys and usage. Several processes need postgres://...
        state: { database: 'file:./sluice.db' },
      })
      "
    `)
  })
})
