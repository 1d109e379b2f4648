import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { type Check, describePage } from './runner/describe-page.ts'

// On Node: the runtimes themselves run these snippets in scripts/test-runtimes.mjs.

const exported: Check = async ({ run }) => {
  const { fetch } = (await run()).exports.default as { fetch: (request: Request) => Promise<Response> }
  const base = 'http://sluice.test/v1'
  expect(await ask(base, { fetch })).toMatchObject({ status: 200 })
  expect(await ask(base, { fetch, stream: true })).toMatchObject({ status: 200 })
  expect(await ask(base, { fetch, key: 'sk-wrong' })).toMatchObject({ status: 401 })
}

describePage('docs/runtimes.md', { bun: exported, deno: exported, workers: exported })
