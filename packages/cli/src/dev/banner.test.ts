import { describe, expect, it } from 'vitest'
import { banner, type Started } from './banner.ts'

const started: Started = {
  baseURL: 'http://127.0.0.1:8787/v1',
  networkURLs: [],
  shortcuts: false,
  key: 'sk-mine',
  keySource: 'From SLUICE_API_KEY.',
  limit: '60 requests a minute',
  consoleURL: 'http://127.0.0.1:8787/console/#key=admin',
  storage: '.sluice/dev.db',
  responses: 'stored in memory for 1 hour',
  prices: 'bundled, of 2026-09-23',
  models: [
    { name: 'o1', answeredBy: 'openai (o1)' },
    { name: 'local', answeredBy: 'local()' },
  ],
  tried: 'o1',
  platform: 'linux',
  notes: ['One note.'],
}

describe('banner', () => {
  it('has all that a newcomer needs', () => {
    expect(banner(started)).toBe(`
Sluice is running at http://127.0.0.1:8787/v1

  Network   not reachable; --host 0.0.0.0 makes it so
  API key   sk-mine
            From SLUICE_API_KEY.
  Limit     60 requests a minute
  Console   http://127.0.0.1:8787/console/#key=admin
  Storage   .sluice/dev.db
  Responses stored in memory for 1 hour
  Prices    bundled, of 2026-09-23

  Model                       Answered by
  o1                          openai (o1)
  local                       local()

One note.

Try it:
curl http://127.0.0.1:8787/v1/chat/completions -H 'authorization: Bearer sk-mine' -H 'content-type: application/json' -d '{"model":"o1","messages":[{"role":"user","content":"What is 12 * 7?"}]}'

Claude Code with this gateway:
ANTHROPIC_BASE_URL=http://127.0.0.1:8787 ANTHROPIC_AUTH_TOKEN=sk-mine ANTHROPIC_DEFAULT_HAIKU_MODEL=o1 claude --model o1

Codex with this gateway:
SLUICE_API_KEY=sk-mine codex -c model_provider=sluice -c model_providers.sluice.name=Sluice -c model_providers.sluice.base_url=http://127.0.0.1:8787/v1 -c model_providers.sluice.env_key=SLUICE_API_KEY -c model_providers.sluice.wire_api=responses --model o1

Press Ctrl+C to stop. Requests are logged below.
`)
  })

  it('has a line for each shell of Windows', () => {
    const text = banner({ ...started, platform: 'win32' })
    expect(text).toMatch(/^Try it in PowerShell:\n'\{.*\| curl\.exe '/m)
    expect(text).toMatch(/^Try it in cmd\.exe:\ncurl\.exe "/m)
  })

  it('has the addresses for other machines, and the shortcuts of a terminal', () => {
    const networkURLs = ['http://10.0.0.2:8787/v1', 'http://10.0.0.3:8787/v1']
    const text = banner({ ...started, networkURLs, shortcuts: true })
    expect(text).toContain('  Network   http://10.0.0.2:8787/v1\n            http://10.0.0.3:8787/v1\n')
    expect(text).toContain('Press h + Enter for shortcuts, Ctrl+C to stop. Requests are logged below.')
  })

  it('leaves out what there is not, and shows the first models of a server that has many', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      name: `ollama/m${index}`,
      answeredBy: `Ollama (m${index})`,
    }))
    const text = banner({
      ...started,
      models: many,
      consoleURL: undefined,
      limit: undefined,
      tried: undefined,
    })
    expect(text).not.toMatch(/Console|Limit|curl|Claude|Codex|undefined/)
    expect(text).toContain('ollama/m7')
    expect(text).not.toContain('ollama/m8')
    expect(text).toContain('... and 12 more of Ollama')
  })
})
