import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { type Check, describePage } from './runner/describe-page.ts'

/** What each package says of itself: one snippet that can be pasted, and how it is installed. */
const serves: Check = async ({ run }) => {
  const running = await run()
  expect(await ask(`${await running.url(8787)}/v1`)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
}

const snippets: Record<string, Check> = {
  core: async ({ run }) => {
    const { fetch } = (await run()).exports.default as { fetch(request: Request): Promise<Response> }
    expect(await ask('http://there.test/v1', { fetch })).toMatchObject({ status: 200, text: '12 * 7 = 84' })
  },
  express: serves,
  koa: serves,
  node: serves,
  providers: async ({ run }) => {
    await run({ OPENAI_API_KEY: 'sk-any', ANTHROPIC_API_KEY: 'sk-any' })
  },
  testing: async ({ run }) => {
    expect((await run()).printed).toHaveLength(1)
  },
}

for (const [name, check] of Object.entries(snippets))
  describePage(`packages/${name}/README.md`, { '': check })
