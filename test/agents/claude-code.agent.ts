import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError, limits, requests } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { pixel } from '../e2e/clients/script.ts'
import { anthropicFamily } from '../e2e/families/anthropic-family.ts'
import { families } from '../e2e/families/families.ts'
import type { Script } from '../e2e/families/family.ts'
import { claude } from './claude-code.ts'
import { failing, median, serveVendor, workFolder } from './run-agent.ts'

const patience = 120_000

/** Reads the file that the user names, with the agent's own tool, and tells what it got. */
const reader: Script = ({ text, results, tools, media }) => {
  if (media.length > 0) return { text: `saw ${media.join(', ')}` }
  if (results.length > 0) return { text: `the tool said ${results.join(' and ')}` }
  const file = /read (\S+\.(?:txt|png))/.exec(text)?.[1]
  if (file !== undefined && tools.includes('Read')) {
    const thought = text.includes('think') && { thought: { text: 'The file has it.', signature: 'c2lnbmVk' } }
    return { ...thought, calls: [{ id: 'call_1', name: 'Read', input: { file_path: file } }] }
  }
  if (text.includes('think')) {
    return { thought: { text: 'The user wants thought.', signature: 'c2lnbmVk' }, text: 'I thought.' }
  }
  return { text: 'Hello from the vendor.' }
}

describe.each(families)('Claude Code over a vendor of the family $name', family => {
  it('answers', { timeout: patience }, async () => {
    const { origin } = await serveVendor(family, reader)
    expect(await claude(origin, ['Say hello'])).toMatchObject({ code: 0, stdout: 'Hello from the vendor.\n' })
  })

  it('reads a file with its tool', { timeout: patience }, async () => {
    const { origin } = await serveVendor(family, reader)
    const home = workFolder()
    const file = join(home, 'note.txt')
    writeFileSync(file, 'The password is swordfish.')
    const { stdout } = await claude(origin, [`read ${file}`, '--allowedTools', 'Read'], { home })
    expect(stdout).toContain('swordfish')
  })

  it('reads a picture with its tool', { timeout: patience }, async () => {
    const { origin } = await serveVendor(family, reader)
    const home = workFolder()
    const file = join(home, 'pixel.png')
    writeFileSync(file, Buffer.from(pixel, 'base64'))
    const { stdout } = await claude(origin, [`read ${file}`, '--allowedTools', 'Read'], { home })
    expect(stdout).toMatch(/^saw image\/png/)
  })

  it('goes on after a turn with thinking', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, reader)
    const home = workFolder()
    expect(await claude(origin, ['think about it'], { home })).toMatchObject({ stdout: 'I thought.\n' })
    const then = await claude(origin, ['--continue', 'And now?'], { home })
    expect(then).toMatchObject({ code: 0 })
    const { body, signatures } = vendor.questions.at(-1)!
    expect(JSON.stringify(body)).toContain('I thought.')
    // Gemini signs calls, and chat completions have no signatures.
    if (family.name === 'anthropic' || family.name === 'bedrock') expect(signatures).toEqual(['c2lnbmVk'])
  })

  it('sends back what was thought before a call', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(family, reader)
    const home = workFolder()
    const file = join(home, 'note.txt')
    writeFileSync(file, 'The password is swordfish.')
    const { stdout } = await claude(origin, [`think and read ${file}`, '--allowedTools', 'Read'], { home })
    expect(stdout).toContain('swordfish')
    const { body, signatures } = vendor.questions.findLast(({ results }) => results.length > 0)!
    if (family.name === 'chat') expect(JSON.stringify(body)).toContain('The file has it.')
    else expect(signatures).toEqual(['c2lnbmVk'])
  })

  it('is not locked out by counting tokens', { timeout: patience }, async () => {
    const { origin } = await serveVendor(family, reader, { limits: limits([requests(5).per('minute')]) })
    const home = workFolder()
    const { stdout } = await claude(origin, ['/context'], { home })
    expect(stdout).toMatch(/tokens/i)
    expect(await claude(origin, ['Say hello'], { home })).toMatchObject({
      stdout: 'Hello from the vendor.\n',
    })
  })
})

describe('Claude Code and errors', () => {
  const refusing =
    (reason: ConstructorParameters<typeof GatewayError>[0], headers: Record<string, string> = {}) =>
    () => {
      throw new GatewayError(reason, { headers })
    }

  it.each([
    ['a rate limit', refusing('rate_limit_exceeded', { 'retry-after': '1' })],
    ['an overload', refusing('overloaded', { 'retry-after': '1' })],
  ] as const)('waits for %s, and goes on', { timeout: patience }, async (_what, fail) => {
    const { origin } = await serveVendor(anthropicFamily, reader, failing(1, fail))
    expect(await claude(origin, ['Say hello'])).toMatchObject({ code: 0, stdout: 'Hello from the vendor.\n' })
  })

  it('ends at once where the budget is spent', { timeout: patience }, async () => {
    const { origin, vendor } = await serveVendor(
      anthropicFamily,
      reader,
      failing(99, refusing('insufficient_quota')),
    )
    const { code, ms, stdout } = await claude(origin, ['Say hello'])
    expect(code).not.toBe(0)
    expect(stdout).toMatch(/quota|credit|billing|402/i)
    expect(ms).toBeLessThan(15_000)
    expect(vendor.questions).toEqual([])
  })

  it('ends at once with a wrong key', { timeout: patience }, async () => {
    const { origin } = await serveVendor(anthropicFamily, reader)
    const { code, ms } = await claude(origin, ['Say hello'], { key: 'wrong-key' })
    expect(code).not.toBe(0)
    expect(ms).toBeLessThan(15_000)
  })

  it('names a model that there is not', { timeout: patience }, async () => {
    const { origin } = await serveVendor(anthropicFamily, reader)
    const { code, stdout } = await claude(origin, ['Say hello'], { model: 'nope' })
    expect(code).not.toBe(0)
    expect(stdout).toContain('nope')
  })

  it('says that the prompt is too long', { timeout: patience }, async () => {
    const { origin } = await serveVendor(anthropicFamily, () => ({
      error: { status: 400, message: 'prompt is too long: 300000 tokens > 200000 maximum' },
    }))
    const { code, stdout } = await claude(origin, ['Say hello'])
    expect(code).not.toBe(0)
    expect(stdout).toMatch(/too long/i)
  })

  it('asks for less where prompt and answer are too long together', { timeout: patience }, async () => {
    const asked: number[] = []
    const { origin } = await serveVendor(anthropicFamily, ({ body }) => {
      asked.push(body.max_tokens as number)
      return asked.length > 1
        ? { text: 'Hello from the vendor.' }
        : {
            error: {
              status: 400,
              message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
            },
          }
    })
    expect(await claude(origin, ['Say hello'])).toMatchObject({ stdout: 'Hello from the vendor.\n' })
    expect(asked[1]).toBeLessThan(asked[0]!)
  })

  it('asks again where a stream breaks off', { timeout: patience }, async () => {
    let cut = 1
    const { origin } = await serveVendor(anthropicFamily, () => ({
      text: 'Hello from the vendor.',
      ...(cut-- > 0 && { cutAfter: 700 }),
    }))
    expect((await claude(origin, ['Say hello'])).stdout).toContain('Hello from the vendor.')
  })
})

it('starts nearly as fast as without a gateway', { timeout: patience }, async () => {
  const { origin, vendor } = await serveVendor(anthropicFamily, reader)
  const direct: number[] = []
  const through: number[] = []
  for (let round = 0; round < 5; round++) {
    direct.push((await claude(vendor.origin, ['Say hello'])).ms)
    through.push((await claude(origin, ['Say hello'])).ms)
  }
  const overhead = median(through) - median(direct)
  console.log(
    `Start: ${median(direct).toFixed(0)} ms direct, ${median(through).toFixed(0)} ms through the gateway`,
  )
  expect(overhead).toBeLessThan(500)
})
