import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorReason, GatewayError, type GatewayOptions } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { sse, startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codexLine } from '../../packages/cli/src/dev/codex-line.ts'
import { pixel } from '../e2e/clients/script.ts'
import { anthropicFamily } from '../e2e/families/anthropic-family.ts'
import { familiesOfResponses } from '../e2e/families/families.ts'
import type { Saying, Script } from '../e2e/families/family.ts'
import { responsesFamily } from '../e2e/families/responses-family.ts'
import { codex } from './codex.ts'
import { failing, median, serveTarget, serveVendor, workFolder } from './run-agent.ts'

const patience = 120_000

const patch = `*** Begin Patch
*** Add File: new.txt
+The password is swordfish.
*** End Patch
`

/** Calls the tool that the user names, and tells what it got. */
const agent: Script = ({ text, results, tools, media }): Saying => {
  const call = (name: string, input: object): Saying => ({
    ...(text.includes('think') && { thought: { text: 'A tool has it.', signature: 'c2lnbmVk' } }),
    calls: [{ id: `call_${name}_${results.length}`, name, input }],
  })
  if (results.some(result => result.includes('mcp__vault')))
    return call('mcp__vault__lookup', { name: 'Ann' })
  if (media.length > 0) return { text: `saw ${media.join(', ')}` }
  if (results.length > 0) return { text: `the tool said ${results.join(' and ')}` }
  const named = /use (\w+)/.exec(text)?.[1]
  const inputs: Readonly<Record<string, object>> = {
    exec_command: { cmd: 'cat note.txt' },
    view_image: { path: 'pixel.png' },
    apply_patch: { input: patch },
    mcp__vault__lookup: { name: 'Ann' },
    tool_search: { query: 'password of a person' },
    functions__exec: {
      input: 'const { output } = await tools.exec_command({ cmd: "cat note.txt" }); text(output)',
    },
  }
  if (named !== undefined && tools.includes(named)) return call(named, inputs[named]!)
  if (text.includes('think')) {
    return { thought: { text: 'The user wants thought.', signature: 'c2lnbmVk' }, text: 'I thought.' }
  }
  return { text: 'Hello from the vendor.' }
}

/** A folder with the files that the tools read. */
function filledFolder(): string {
  const home = workFolder()
  writeFileSync(join(home, 'note.txt'), 'The password is swordfish.')
  writeFileSync(join(home, 'pixel.png'), Buffer.from(pixel, 'base64'))
  return home
}

const vault = `
[mcp_servers.vault]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(fileURLToPath(new URL('lookup-server.mjs', import.meta.url)))}]
default_tools_approval_mode = "approve"
`

// The folders are no Git repositories.
const exec = (prompt: string) => ['--skip-git-repo-check', prompt]

describe.each(familiesOfResponses)('Codex over a vendor of the family $name', family => {
  it('answers', { timeout: patience }, async () => {
    const { origin } = await serveVendor(family, agent)
    expect(await codex(origin, exec('Say hello'))).toMatchObject({
      code: 0,
      stdout: 'Hello from the vendor.\n',
    })
  })

  it('runs a command', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const { stdout } = await codex(origin, exec('use exec_command'), { home: filledFolder() })
    expect(stdout).toContain('the tool said')
    expect(stdout).toContain('swordfish')
    expect(vendor.questions).toHaveLength(2)
    expect(vendor.questions[1]!.results).toEqual([expect.stringContaining('swordfish')])
  })

  it('shows a picture', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const { stdout } = await codex(origin, exec('use view_image'), { home: filledFolder() })
    expect(stdout).toMatch(/^saw image\/png/)
    expect(vendor.questions[1]!.media).toHaveLength(1)
  })

  it('applies a patch', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const home = filledFolder()
    const { stdout } = await codex(origin, exec('use apply_patch'), { home, model: 'gpt-5.5' })
    expect(stdout).toContain('Success.')
    expect(readFileSync(join(home, 'new.txt'), 'utf8')).toBe('The password is swordfish.\n')
    expect(vendor.questions[1]!.results).toEqual([expect.stringContaining('A new.txt')])
  })

  it('calls a tool of a namespace', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const { stdout } = await codex(origin, exec('use mcp__vault__lookup'), { tables: vault })
    expect(stdout).toContain('The password of Ann is swordfish.')
    expect(vendor.questions[0]!.tools).toContain('mcp__vault__lookup')
  })

  it('finds a tool, and calls it', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const { stdout } = await codex(origin, exec('use tool_search'), { tables: vault, model: 'gpt-5.5' })
    expect(stdout).toContain('The password of Ann is swordfish.')
    expect(vendor.questions.map(({ tools }) => tools.includes('mcp__vault__lookup'))).toEqual([
      false,
      true,
      true,
    ])
  })

  it('has its tools in an item of the input', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const settings = { home: filledFolder(), model: 'gpt-6-astra' }
    const { stdout } = await codex(origin, exec('use functions__exec'), settings)
    expect(stdout).toContain('swordfish')
    expect(vendor.questions[1]!.results).toEqual([expect.stringContaining('swordfish')])
  })

  it('goes on with a session that has reasoning', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const home = filledFolder()
    expect(await codex(origin, exec('think about it'), { home })).toMatchObject({ stdout: 'I thought.\n' })
    const then = await codex(origin, ['resume', '--last', ...exec('And now?')], { home })
    expect(then).toMatchObject({ code: 0, stdout: 'Hello from the vendor.\n' })
    const { body, signatures } = vendor.questions.at(-1)!
    expect(JSON.stringify(body)).toContain('I thought.')
    // Gemini signs calls, and chat completions have no signatures.
    const signed = family.name !== 'gemini' && family.name !== 'chat'
    if (signed) expect(signatures).toEqual(['c2lnbmVk'])
  })

  it('sends back what was thought before a call', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, agent)
    const thinking = ['-c', 'model_reasoning_effort="medium"', ...exec('think, then use exec_command')]
    const { stdout } = await codex(origin, thinking, { home: filledFolder() })
    expect(stdout).toContain('swordfish')
    const { body, signatures } = vendor.questions[1]!
    if (family.name === 'chat') expect(JSON.stringify(body)).toContain('A tool has it.')
    else expect(signatures).toEqual(['c2lnbmVk'])
  })

  it('wants an answer for a schema', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, ({ tools, wantsJson }) => {
      // Unknown models of some vendors are asked for it by a tool, which is one of several here.
      if (tools.includes('json')) return { calls: [{ id: 'call_1', name: 'json', input: { age: 36 } }] }
      return { text: wantsJson ? '{"age":36}' : 'no' }
    })
    const home = filledFolder()
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
      additionalProperties: false,
    }
    writeFileSync(join(home, 'schema.json'), JSON.stringify(schema))
    const { code, stdout } = await codex(origin, ['--output-schema', 'schema.json', ...exec('How old?')], {
      home,
    })
    expect([code, JSON.parse(stdout)]).toEqual([0, { age: 36 }])
    expect(vendor.questions).toHaveLength(1)
  })
})

it('starts by the line that `sluice dev` prints', { timeout: patience }, async () => {
  const { origin } = await serveVendor(responsesFamily, agent)
  const line = codexLine('linux', `${origin}/v1`, 'good-key', 'm')
  const [, settings = ''] = /^SLUICE_API_KEY=good-key codex (.*)$/.exec(line) ?? []
  // The provider of its configuration has a service that cannot be reached.
  const { stdout } = await codex('http://127.0.0.1:1', [...settings.split(' '), ...exec('Say hello')])
  expect(stdout).toBe('Hello from the vendor.\n')
})

it('tries a WebSocket once, where the service is the built-in provider', { timeout: patience }, async () => {
  const { origin } = await serveVendor(responsesFamily, agent)
  const { code, stdout, stderr, ms } = await codex(origin, exec('Say hello'), { asOpenAI: true })
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: 'Hello from the vendor.\n' })
  expect(stderr).not.toMatch(/reconnect/i)
  expect(ms).toBeLessThan(5_000)
})

describe('Codex and errors', () => {
  const refusing = (reason: ErrorReason, headers: Record<string, string> = {}) => {
    return failing(1, () => {
      throw new GatewayError(reason, { headers })
    })
  }
  const always = (reason: ErrorReason): Pick<GatewayOptions, 'authorize'> =>
    failing(Number.POSITIVE_INFINITY, () => {
      throw new GatewayError(reason)
    })

  it.each([
    ['a rate limit', refusing('rate_limit_exceeded', { 'retry-after': '1' }), 1_000],
    ['an overload', refusing('overloaded'), 0],
    ['a service with too much to do', refusing('service_overloaded', { 'retry-after': '1' }), 0],
    ['a vendor that fails', refusing('upstream_error'), 0],
    ['a vendor that is late', refusing('upstream_timeout'), 0],
  ] as const)('goes on after %s', { timeout: patience }, async (_what, options, leastMs) => {
    const { origin } = await serveVendor(anthropicFamily, agent, options)
    const { code, stdout, ms } = await codex(origin, exec('Say hello'))
    expect([code, stdout]).toEqual([0, 'Hello from the vendor.\n'])
    expect(ms).toBeGreaterThan(leastMs)
  })

  it('ends at once where the budget is spent', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(anthropicFamily, agent, always('insufficient_quota'))
    const { code, ms, stderr } = await codex(origin, exec('Say hello'))
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/quota/i)
    expect(ms).toBeLessThan(10_000)
    expect(vendor.questions).toEqual([])
  })

  it('ends with a wrong key', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(anthropicFamily, agent)
    const { code, ms, stderr } = await codex(origin, exec('Say hello'), { key: 'wrong-key' })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/401/)
    expect(ms).toBeLessThan(15_000)
    expect(vendor.questions).toEqual([])
  })

  it('names a model that there is not', { timeout: patience }, async () => {
    const { origin } = await serveVendor(anthropicFamily, agent)
    const { code, ms, stderr } = await codex(origin, exec('Say hello'), { model: 'nope' })
    expect(code).not.toBe(0)
    expect(stderr).toContain("The requested model 'nope' does not exist.")
    expect(ms).toBeLessThan(10_000)
  })

  it('says that the prompt is too long', { timeout: patience }, async () => {
    const { origin } = await serveVendor(anthropicFamily, () => ({
      error: { status: 400, message: 'prompt is too long: 300000 tokens > 200000 maximum' },
    }))
    const { code, stderr } = await codex(origin, exec('Say hello'))
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/context window/i)
  })

  it('asks again where a stream breaks off', { timeout: patience }, async () => {
    let cut = 1
    const { origin } = await serveVendor(anthropicFamily, () => ({
      text: 'Hello from the vendor.',
      ...(cut-- > 0 && { cutAfter: 700 }),
    }))
    expect((await codex(origin, exec('Say hello'))).stdout).toContain('Hello from the vendor.')
  })

  /** A gateway in front of a vendor that begins an answer and fails with this code, so many times, and then answers. */
  async function failingLate(code: string, message: string, failures: number) {
    const response = { id: 'resp_1', object: 'response', model: 'model', status: 'in_progress', output: [] }
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const events = [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.content_part.added', ...place, part },
      { type: 'response.output_text.delta', ...place, delta: 'Hel', logprobs: [] },
      { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message } } },
    ].map((event, sequence_number) => ({ ...event, sequence_number }))
    const failed = steps.stream(sse(events))
    const { body, headers } = responsesFamily.answer({ text: 'Hello from the vendor.' }, true, {})
    const answered = steps.reply(String(body), { headers })
    const upstream = await startUpstream(...Array.from({ length: failures }, () => failed), answered)
    onTestFinished(() => upstream.close())
    const speaking = { name: 'raw', apiKey: 'vendor-key', speaks: ['responses'] } as const
    const target = openaiCompatible({ ...speaking, baseURL: upstream.baseURL })('model')
    const times: number[] = []
    const authorize = () => {
      times.push(performance.now())
      return true
    }
    return { origin: await serveTarget(target, { authorize }), times }
  }

  it.each([
    ['rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.', 1_000],
    ['server_error', 'The server had an error.', 100],
    ['server_is_overloaded', 'Our servers are overloaded.', 100],
  ])('goes on after a response that failed: %s', { timeout: patience }, async (code, message, waitMs) => {
    const { origin, times } = await failingLate(code, message, 1)
    const { stdout } = await codex(origin, exec('Say hello'))
    expect(stdout).toBe('Hello from the vendor.\n')
    expect(times).toHaveLength(2)
    expect(times[1]! - times[0]!).toBeGreaterThan(waitMs)
  })

  it.each([
    ['context_length_exceeded', 'Your input exceeds the context window of this model.', /context window/i],
    ['insufficient_quota', 'You exceeded your current quota.', /quota/i],
  ])('ends with a response that failed: %s', { timeout: patience }, async (code, message, shown) => {
    const { origin, times } = await failingLate(code, message, 9)
    const { code: exit, stderr, ms } = await codex(origin, exec('Say hello'))
    expect(exit).not.toBe(0)
    expect(stderr).toMatch(shown)
    expect(ms).toBeLessThan(10_000)
    expect(times).toHaveLength(1)
  })
})

it('starts nearly as fast as without a gateway', { timeout: patience }, async () => {
  const { origin, vendor } = await serveVendor(responsesFamily, agent)
  const direct: number[] = []
  const through: number[] = []
  for (let round = 0; round < 5; round++) {
    direct.push((await codex(vendor.origin, exec('Say hello'))).ms)
    through.push((await codex(origin, exec('Say hello'))).ms)
  }
  const overhead = median(through) - median(direct)
  console.log(
    `Start: ${median(direct).toFixed(0)} ms direct, ${median(through).toFixed(0)} ms through the gateway`,
  )
  expect(overhead).toBeLessThan(500)
})
