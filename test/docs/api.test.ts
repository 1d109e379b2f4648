import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@sluice/core/openapi'
import { expect } from 'vitest'
import { describePage } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

describePage('docs/api.md', {
  served: async ({ run }) => {
    const url = await (await run()).url(3000)
    const answer = await fetch(`${url}/openapi.json`)
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
    const known = { 'if-none-match': answer.headers.get('etag')! }
    expect((await fetch(`${url}/openapi.json`, { headers: known })).status).toBe(304)
    expect((await fetch(`${url}/openapi.json`, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${url}/v1/models`)).status).toBe(401)
  },

  written: async ({ run }) => {
    const file = join(temporaryFolder(), 'openapi.json')
    await run({ OPENAPI_FILE: file })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      openapi: '3.1.1',
      info: { title: 'Acme AI', version: '2.1' },
      servers: [{ url: 'https://ai.example.com' }],
      paths: { '/v1/chat/completions': {} },
    })
  },
})
