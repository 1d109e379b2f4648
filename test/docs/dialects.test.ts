import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gateway } from '@sluice/core'
import { expect } from 'vitest'
import { describePage } from './runner/describe-page.ts'
import { root } from './runner/markdown.ts'

const file = readFileSync(join(root, 'examples/own-dialect/dialogue.ts'), 'utf8')

describePage('docs/dialects.md', {
  dialogue: async ({ code }) => {
    expect(code.trim()).toBe(file.trim())
    expect(file.trim().split('\n').length).toBeLessThan(150)
  },

  gateway: async snippet => {
    const { exports } = await snippet.run({}, code =>
      code.replace("import { dialogue } from './dialogue.ts'", file),
    )
    const { fetch } = exports.gateway as Gateway
    const ask = (path: string, body: object) =>
      fetch(
        new Request(`http://sluice.test/v1${path}`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )
    const lines = [{ who: 'me', says: 'Hello' }]
    const told = await ask('/dialogue', { model: 'small', lines })
    expect(await told.json()).toMatchObject({
      by: 'small',
      lines: [{ says: expect.any(String) }],
      ended: 'done',
    })
    const wrong = await ask('/dialogue', { model: 'small', lines: [] })
    expect([wrong.status, await wrong.json()]).toEqual([400, { wrong: expect.any(String), at: 'lines' }])
    const chat = await ask('/chat/completions', {
      model: 'small',
      messages: [{ role: 'user', content: 'Hello' }],
    })
    expect(await chat.json()).toMatchObject({ object: 'chat.completion' })
  },
})
