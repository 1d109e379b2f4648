import { local } from '@sluice/providers/local'
import { expect, it } from 'vitest'
import { choiceOf, completionOf } from './completion-of.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const scripted = local({
  script: request =>
    request.model === 'two-words' ? { text: 'one two' } : { text: 'Grüße, 世界 👩‍👩‍👧 𝄞!' },
})
const makeGateway = () =>
  testGateway({ multibyte: scripted('multibyte'), 'two-words': scripted('two-words') })

overMounts(makeGateway, site => {
  it('C1 answers 200 with JSON', async () => {
    const answer = await site.chat()
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/)
  })

  it('C2 gives an id that begins with chatcmpl-', async () => {
    expect(completionOf(await site.chat()).id).toMatch(/^chatcmpl-[A-Za-z0-9]{20,}$/)
  })

  it('C3 calls itself chat.completion', async () => {
    expect(completionOf(await site.chat()).object).toBe('chat.completion')
  })

  it('C4 was created now, in whole seconds', async () => {
    const { created } = completionOf(await site.chat())
    expect(created).toBeTypeOf('number')
    expect(Number.isInteger(created)).toBe(true)
    expect(Math.abs(created - Date.now() / 1000)).toBeLessThan(5)
  })

  it('C5 names the model that answered', async () => {
    expect(completionOf(await site.chat()).model).toBe('local')
  })

  it('C6 has one choice, with index 0', async () => {
    expect(completionOf(await site.chat()).choices.map(({ index }) => index)).toEqual([0])
  })

  it('C7 answers as the assistant', async () => {
    expect(choiceOf(await site.chat()).message.role).toBe('assistant')
  })

  it('C8 answers with text', async () => {
    expect(choiceOf(await site.chat()).message.content).toMatch(/\S/)
  })

  it('C9 ends with stop', async () => {
    expect(choiceOf(await site.chat()).finish_reason).toBe('stop')
  })

  it('C10 counts tokens in whole numbers', async () => {
    const { usage } = completionOf(await site.chat())
    for (const count of [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]) {
      expect(Number.isInteger(count)).toBe(true)
      expect(count).toBeGreaterThan(0)
    }
  })

  it('C11 sums the tokens up', async () => {
    const { usage } = completionOf(await site.chat())
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
  })

  it('C12 has a refusal of null', async () => {
    expect(choiceOf(await site.chat()).message).toHaveProperty('refusal', null)
  })

  it('C13 has logprobs of null', async () => {
    expect(choiceOf(await site.chat())).toHaveProperty('logprobs', null)
  })

  it('C14 has no tool_calls where no tool was called', async () => {
    expect(choiceOf(await site.chat()).message).not.toHaveProperty('tool_calls')
  })

  it('C15 tells the details of its counts', async () => {
    const { usage } = completionOf(await site.chat())
    expect(Number.isInteger(usage.prompt_tokens_details.cached_tokens)).toBe(true)
    expect(Number.isInteger(usage.completion_tokens_details.reasoning_tokens)).toBe(true)
  })

  it('C16 gives each answer a request id of its own', async () => {
    const ids = [await site.chat(), await site.chat()].map(({ headers }) => headers['x-request-id'])
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(ids[0]).not.toBe(ids[1])
  })

  it('C17 gives each answer an id of its own', async () => {
    const ids = [await site.chat(), await site.chat()].map(answer => completionOf(answer).id)
    expect(ids[0]).not.toBe(ids[1])
  })

  it('C18 gives as many choices as asked, and counts the prompt once', async () => {
    const one = completionOf(await site.chat({ model: 'two-words' }))
    const three = completionOf(await site.chat({ model: 'two-words', n: 3 }))
    expect(three.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(three.usage.prompt_tokens).toBe(one.usage.prompt_tokens)
    expect(three.usage.completion_tokens).toBe(3 * one.usage.completion_tokens)
  })

  it.each(['max_tokens', 'max_completion_tokens'])('C19 stops at %s', async limit => {
    const answer = await site.chat({ [limit]: 3 })
    expect(choiceOf(answer).finish_reason).toBe('length')
    expect(completionOf(answer).usage.completion_tokens).toBe(3)
  })

  it('C20 stops before a stop sequence', async () => {
    const whole = choiceOf(await site.chat()).message.content!
    const stop = whole.split(' ')[2]!
    for (const sequences of [stop, ['never said', stop]]) {
      const { message, finish_reason } = choiceOf(await site.chat({ stop: sequences }))
      expect(finish_reason).toBe('stop')
      expect(message.content).toBe(whole.slice(0, whole.indexOf(stop)))
    }
  })

  it('C24 was answered in the default tier', async () => {
    expect(completionOf(await site.chat()).service_tier).toBe('default')
  })

  it('C115 keeps ten requests at once apart', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => site.chat()))
    expect(new Set(answers.map(answer => completionOf(answer).id)).size).toBe(10)
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(10)
  })

  it('C119 tells the length of multibyte text in bytes', async () => {
    const answer = await site.chat({ model: 'multibyte' })
    expect(choiceOf(answer).message.content).toBe('Grüße, 世界 👩‍👩‍👧 𝄞!')
    const length = answer.headers['content-length']
    if (length === undefined) expect(answer.headers['transfer-encoding']).toBe('chunked')
    else expect(Number(length)).toBe(answer.bytes.length)
    expect(answer.bytes.length).toBeGreaterThan(answer.body.length)
  })
})
