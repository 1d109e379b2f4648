import { local } from '@sluice/providers/local'
import { expect, it } from 'vitest'
import { choiceOf } from './completion-of.ts'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const makeGateway = () =>
  testGateway({
    'text-only': local()('text-only', { input: [] }),
    multimodal: local()('multimodal', { input: ['image'] }),
    small: local({ contextWindow: 20 })('small'),
  })

overMounts(makeGateway, site => {
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })

  it('C47 wants a model', async () => {
    for (const model of [undefined, null, '']) {
      expectError(await site.chat({ model }), 400, {
        code: null,
        param: null,
        message: 'you must provide a model parameter',
      })
    }
  })

  it('C48 wants messages', async () => {
    expectError(await site.chat({ messages: undefined }), 400, {
      code: 'missing_required_parameter',
      param: 'messages',
      message: "Missing required parameter: 'messages'.",
    })
  })

  it('C49 wants at least one message', async () => {
    expectError(await site.chat({ messages: [] }), 400, {
      code: 'empty_array',
      param: 'messages',
      message:
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    })
  })

  it('C50 wants messages in an array', async () => {
    expectError(await site.chat({ messages: 'x' }), 400, { code: 'invalid_type', param: 'messages' })
  })

  it('C51 wants a role', async () => {
    expectError(await site.chat({ messages: [{ content: 'Hello!' }] }), 400, {
      code: 'missing_required_parameter',
      param: 'messages[0].role',
      message: "Missing required parameter: 'messages[0].role'.",
    })
  })

  it('C52 knows no such role', async () => {
    expectError(await site.chat({ messages: [{ role: 'bogus', content: 'Hello!' }] }), 400, {
      code: 'invalid_value',
      param: 'messages[0].role',
      message:
        "Invalid value: 'bogus'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    })
  })

  it('C53 takes no number for content', async () => {
    expectError(await site.chat(user(7)), 400, { code: 'invalid_type', param: 'messages[0].content' })
  })

  it('C54 wants content of the user', async () => {
    for (const content of [undefined, null]) expectError(await site.chat(user(content)), 400)
  })

  it('C56 takes a developer message', async () => {
    const messages = [{ role: 'developer', content: 'Be brief.' }, ...user('Hello!').messages]
    expect((await site.chat({ messages })).status).toBe(200)
  })

  it('C57 takes content in parts', async () => {
    const whole = choiceOf(await site.chat(user('Hello!')))
    expect(choiceOf(await site.chat(user([{ type: 'text', text: 'Hello!' }])))).toEqual(whole)
  })

  it('C58 knows no such part', async () => {
    const answer = await site.chat(user([{ type: 'bogus', bogus: {} }]))
    expectError(answer, 400, { code: 'invalid_value', param: 'messages[0].content[0].type' })
  })

  it('C59 takes images only where the model does', async () => {
    expectError(await site.chat({ model: 'text-only', ...user([image]) }), 400)
    expect((await site.chat({ model: 'multimodal', ...user([image]) })).status).toBe(200)
  })

  it('C81 refuses a prompt that is too long for the model', async () => {
    expectError(await site.chat({ model: 'small', ...user('word '.repeat(40)) }), 400, {
      code: 'context_length_exceeded',
      param: 'messages',
      message:
        /^This model's maximum context length is 20 tokens\. However, your messages resulted in \d+ tokens\./,
    })
  })
})
