import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { hashApiKey } from '@sluice/core/keys'
import { type Reaction, type Script, sendRawRequest, sse, startUpstream, steps } from '@sluice/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { tracesOf } from '../faults/harness/traces.ts'
import { canaries, said, vendorNames, vendors } from './secrets/canaries.ts'

// P2: the credentials of callers never leave, those of vendors never come back, and none is ever logged.

/** Says back all that it was sent. */
const repeats =
  (status: number, form: (text: string) => string = text => text): Reaction =>
  ({ rawHeaders, body, path }) => {
    const text = form(JSON.stringify([path, Object.fromEntries(rawHeaders), body]))
    return steps.reply(
      { error: { message: text, type: text, code: text, param: text }, message: text },
      { status },
    )
  }

const repeatsInStream: Reaction = ({ headers, body }) =>
  steps.stream([
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: said.answer } }] })}\n\n`,
    `data: ${JSON.stringify({ error: { message: JSON.stringify([headers, body]) } })}\n\n`,
  ])

/** What a vendor does, one after the other, for each caller. */
const scripts: readonly Script[] = [
  steps.answer({ text: said.answer }),
  ...[400, 401, 403, 404, 413, 422, 429, 500, 503].map(status => repeats(status)),
  repeats(400, text => encodeURIComponent(text)),
  repeats(400, text => Buffer.from(text).toString('base64')),
  repeats(400, text => text.replaceAll('"', "'")),
  repeats(200),
  repeatsInStream,
  steps.stream(sse([{ choices: [{ index: 0, delta: { content: said.answer } }] }], { done: false })),
  [steps.stream([`data: {"choices":[{"index":0,"delta":{"content":"${said.answer}`]), steps.cut()],
  ({ headers, body }) =>
    steps.reply(`${JSON.stringify(headers)} ${body} {`, { headers: { 'content-type': 'application/json' } }),
  ({ headers }) =>
    steps.reply(`<html>${JSON.stringify(headers)}</html>`, { headers: { 'content-type': 'text/html' } }),
  ({ headers }) =>
    steps.reply(
      {},
      { status: 429, headers: { 'set-cookie': headers.authorization ?? 'x', 'retry-after': '1' } },
    ),
  steps.cut(),
  steps.hang(),
]

interface Traffic {
  /** Every byte that each caller got. */
  readonly toCallers: Readonly<Record<'ann' | 'bob' | 'nobody', string>>
  /** Every head and body that each vendor got. */
  readonly toVendors: Readonly<Record<string, string>>
  readonly log: string
}

const loader = createRequire(import.meta.url).resolve('tsx')

/** Runs the service against vendors of all kinds, good and bad, and listens everywhere. */
async function traffic(): Promise<Traffic> {
  const upstreams = await Promise.all(vendorNames.map(() => startUpstream()))
  const urls = upstreams.map(({ url }) => url)
  const program = fileURLToPath(new URL('./secrets/service.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--import', loader, '--conditions=@sluice/source', program, ...urls],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  try {
    let log = ''
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        log += text
      })
    const port = Number((await untilPrinted(child, () => /listens on (\d+)/.exec(log)?.[1])) ?? 0)
    const toCallers = { ann: '', bob: '', nobody: '' }
    const ask = async (who: keyof typeof toCallers, key: string | undefined, fields: object) => {
      const prompt = who === 'bob' ? said.bobPrompt : said.annPrompt
      const { received } = await sendRawRequest({
        port,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: {
          'content-type': 'application/json',
          cookie: `session=${canaries.callerKey}`,
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: { messages: [{ role: 'user', content: prompt }], ...fields },
      })
      toCallers[who] += Buffer.from(received).toString('latin1')
    }
    for (const script of scripts) {
      for (const upstream of upstreams) upstream.respondWith(script)
      await Promise.all(
        [...vendorNames, 'all'].flatMap(model => [
          ask('ann', canaries.callerKey, { model, stream: true }),
          ask('bob', canaries.otherKey, { model }),
        ]),
      )
    }
    await ask('nobody', `${canaries.callerKey}x`, { model: 'openai' })
    await ask('nobody', hashApiKey(canaries.callerKey, { v1: canaries.pepper }), { model: 'openai' })
    await ask('nobody', undefined, { model: 'openai' })
    child.kill('SIGTERM')
    await once(child, 'close')
    const toVendors = Object.fromEntries(
      vendorNames.map((name, at) => [name, JSON.stringify(upstreams[at]?.requests.map(textOf))]),
    )
    return { toCallers, toVendors, log }
  } finally {
    child.kill('SIGKILL')
    await Promise.all(upstreams.map(upstream => upstream.close()))
  }
}

const textOf = ({ path, rawHeaders, body }: { path: string; rawHeaders: unknown; body: string }) => [
  path,
  rawHeaders,
  body,
]

function untilPrinted<T>(child: ChildProcess, look: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const check = () => {
      const found = look()
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', check)
    child.once('exit', code => reject(new Error(`The service ended with ${code}.`)))
  })
}

/** The canaries that a text holds, and in which forms. */
function found(text: string, names: readonly (keyof typeof canaries)[]): string[] {
  return names.flatMap(name => tracesOf(canaries[name], text).map(form => `${name} ${form}`))
}

const every = Object.keys(canaries) as (keyof typeof canaries)[]
const digest = hashApiKey(canaries.callerKey, { v1: canaries.pepper }).slice('v1:'.length)

describe('P2: credentials, prompts and answers stay where they belong', { timeout: 120_000 }, () => {
  let all: Traffic
  beforeAll(async () => {
    all = await traffic()
  })

  it('there was traffic of every kind', () => {
    expect(all.toCallers.ann).toContain(said.answer)
    for (const status of [400, 404, 413, 429, 502, 503, 504])
      expect(all.toCallers.bob).toContain(`HTTP/1.1 ${status}`)
    expect(all.toCallers.nobody.match(/HTTP\/1\.1 401/g)).toHaveLength(3)
    for (const outcome of ['completed', 'refused', 'upstream_failed'])
      expect(all.log).toContain(`"${outcome}"`)
    for (const name of vendorNames) expect(all.toVendors[name]).toContain(said.annPrompt)
  })

  it('no caller gets a byte of any credential', () => {
    for (const text of Object.values(all.toCallers)) {
      expect(found(text, every)).toEqual([])
      expect(tracesOf(digest, text)).toEqual([])
    }
  })

  it("no caller gets a byte of another one's prompt", () => {
    expect(tracesOf(said.bobPrompt.slice(10), all.toCallers.ann)).toEqual([])
    expect(tracesOf(said.annPrompt.slice(10), all.toCallers.bob)).toEqual([])
    expect(all.toCallers.nobody).not.toMatch(/Zebra|Quokka|Narwhal/)
  })

  it.each(vendorNames)('%s gets its own credentials, and nobody else', name => {
    const own: readonly string[] = vendors[name]
    const text = all.toVendors[name] ?? ''
    for (const canary of vendors[name]) expect(text).toContain(canaries[canary])
    expect(
      found(
        text,
        every.filter(canary => !own.includes(canary)),
      ),
    ).toEqual([])
    expect(tracesOf(digest, text)).toEqual([])
  })

  it('the log holds no credential, no prompt and no answer', () => {
    expect(all.log).toMatch(/requestId/)
    expect(found(all.log, every)).toEqual([])
    for (const text of [digest, ...Object.values(said)]) expect(tracesOf(text, all.log)).toEqual([])
    expect(all.log).not.toMatch(/Zebra|Quokka|Narwhal/)
  })
})
