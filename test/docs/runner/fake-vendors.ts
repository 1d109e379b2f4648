import { startUpstream, steps } from '@sluice/testing'
import { expect, onTestFinished } from 'vitest'
import { anthropicMessage } from './anthropic-message.ts'
import { ask } from './ask.ts'
import type { Check } from './describe-page.ts'
import { hasCurl, shell } from './shell.ts'

type Upstream = Awaited<ReturnType<typeof startUpstream>>

/** Servers in place of OpenAI and Anthropic, for snippets that call the vendors themselves. */
export interface FakeVendors {
  readonly openai: Upstream
  readonly anthropic: Upstream
  /** The vendors' keys. */
  readonly env: Readonly<Record<string, string>>
  /** Lets `openai()` and `anthropic()` of a snippet call these servers. */
  edit(code: string): string
}

const message = anthropicMessage('From Anthropic.')

/** Until the test ends. OpenAI answers `From OpenAI.`, and Anthropic, which does not stream, `From Anthropic.` */
export async function fakeVendors(): Promise<FakeVendors> {
  const openai = await startUpstream(steps.answer({ text: 'From OpenAI.' }))
  const anthropic = await startUpstream(steps.reply(message))
  onTestFinished(async () => {
    await openai.close()
    await anthropic.close()
  })
  return {
    openai,
    anthropic,
    env: { OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-anthropic' },
    edit(code) {
      const edited = code
        .replaceAll('openai()', `openai({ baseURL: '${openai.baseURL}' })`)
        .replaceAll('anthropic()', `anthropic({ baseURL: '${anthropic.baseURL}' })`)
      expect(edited).not.toBe(code)
      return edited
    },
  }
}

const openai = { model: 'gpt-5.5' }
const anthropic = { model: 'claude-sonnet-5' }

/** What a service with both vendors answers below a base. */
export async function expectVendors(
  base: string,
  fetch?: (request: Request) => Response | Promise<Response>,
): Promise<void> {
  const more = fetch === undefined ? {} : { fetch }
  expect(await ask(base, { ...openai, ...more })).toMatchObject({ status: 200, text: 'From OpenAI.' })
  expect(await ask(base, { ...openai, ...more, stream: true })).toMatchObject({ text: 'From OpenAI.' })
  expect(await ask(base, { ...anthropic, ...more })).toMatchObject({ status: 200, text: 'From Anthropic.' })
  expect(await ask(base, { ...openai, ...more, key: 'sk-wrong' })).toMatchObject({ status: 401 })
}

/** A snippet that listens on port 3000, with both vendors. */
export const listens =
  (path: string): Check =>
  async ({ run }) => {
    const { env, edit } = await fakeVendors()
    await expectVendors(`${await (await run(env, edit)).url(3000)}${path}`)
  }

/** A curl line for what another snippet starts on port 3000. */
export const curls =
  (name: string): Check =>
  async ({ code }, others) => {
    const { env, edit } = await fakeVendors()
    const server = await others(name).run(env, edit)
    const line = code.replace('http://localhost:3000', await server.url(3000))
    expect(line).not.toBe(code)
    if (hasCurl) expect(await shell(line)).toContain('"content":"From Anthropic."')
  }
