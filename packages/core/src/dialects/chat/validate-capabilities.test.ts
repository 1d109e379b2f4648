import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../../test/support/chat-draft.ts'
import { base, check, errorFrom, live, profiles, schema, target } from '../../../test/validate-cases.ts'
import type { Target } from '../../contracts/provider.ts'
import type { SkipReason } from '../../contracts/trace.ts'
import { validateRequest } from '../../gateway/validate-request.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { selectCapableTargets } from '../../validation/capable-targets.ts'
import { chatDialect } from './dialect.ts'

describe('what the models can do', () => {
  const image = {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'https://x' } },
        ],
      },
    ],
  }
  const textOnly = target({ input: [] })
  const images = target({ input: ['image'] })
  const unknown = target()

  it('C59 refuses a part that no target takes', () => {
    for (const rules of profiles) {
      const error = errorFrom({ ...base, ...image }, rules, [textOnly])
      expect(error).toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'messages[0].content[1].type',
      })
      expect(error.message).toBe(
        "Invalid value: 'image_url' is not supported with this model. Supported values are: 'text'.",
      )
      const file = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }
      expect(errorFrom({ ...base, ...file }, rules, [images]).message).toContain(
        "Supported values are: 'text' and 'image_url'.",
      )
    }
  })

  it('C59 keeps the targets that take it, in their order', () => {
    for (const rules of profiles) {
      expect(check({ ...base, ...image }, rules, [textOnly, images, unknown]).targets).toEqual([
        images,
        unknown,
      ])
      expect(check(base, rules, [textOnly, images]).targets).toEqual([textOnly, images])
    }
    const plain = [unknown, unknown]
    expect(check({ ...base, ...image }, schema, plain).targets).toBe(plain)
  })

  it('C66 bounds n by the model', () => {
    const eight = target({ maxChoices: 8 })
    const error = errorFrom({ ...base, n: 9 }, schema, [eight])
    expect(error).toMatchObject({ code: 'integer_above_max_value', param: 'n' })
    expect(error.message).toBe(
      "Invalid 'n': integer above maximum value. Expected a value <= 8, but got 9 instead.",
    )
    expect(check({ ...base, n: 9 }, schema, [eight, unknown]).targets).toEqual([unknown])
    expect(check({ ...base, n: 8 }, schema, [eight]).targets).toEqual([eight])
  })

  it('C118 refuses max_tokens for reasoning models in the live profile only', () => {
    const reasoning = [target({ reasoning: true })]
    const error = errorFrom({ ...base, max_tokens: 5 }, live, reasoning)
    expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'max_tokens' })
    expect(error.message).toBe(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    )
    expect(check({ ...base, max_tokens: 5 }, schema, reasoning).request.settings().max_tokens).toBe(5)
    expect(
      check({ ...base, max_completion_tokens: 5, reasoning_effort: 'low' }, live, reasoning).targets,
    ).toEqual(reasoning)
  })

  it('[L] refuses what reasoning models have fixed, and reasoning_effort for others', () => {
    const reasoning = [target({ reasoning: true })]
    expect(errorFrom({ ...base, temperature: 0.5 }, live, reasoning)).toMatchObject({
      code: 'unsupported_value',
      param: 'temperature',
      message:
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    })
    check({ ...base, temperature: 1, top_p: 1, presence_penalty: 0 }, live, reasoning)
    check({ ...base, temperature: 0.5 }, schema, reasoning)
    const effort = { ...base, reasoning_effort: 'low' }
    expect(errorFrom(effort, live, [target({ reasoning: false })])).toMatchObject({
      code: 'unsupported_parameter',
      param: 'reasoning_effort',
    })
    check(effort, schema, [target({ reasoning: false })])
    check(effort, live, [target({ input: [] })])
  })

  it('can be asked by itself', () => {
    const { request } = check({ ...base, ...image })
    const fit = {
      operation: 'generate',
      live: false,
      bytes: 1,
      estimateTokens: () => 1,
      skip: () => {},
    } as const
    expect(selectCapableTargets(request, [textOnly, images], fit)).toEqual([images])
  })

  const skips = (body: object, targets: readonly Target[], estimateTokens = () => 1) => {
    const skipped: unknown[] = []
    const bytes = JSON.stringify(body).length
    const draft = chatDraft({ body: { ...base, ...body } as JsonObject, bytes })
    const log = { skip: (_: Target, { why, detail }: SkipReason) => skipped.push([why, detail]) }
    const { targets: given } = validateRequest(
      chatDialect,
      draft,
      { id: 'ann' },
      targets,
      { ...schema, estimateTokens },
      log,
    )
    return { given, skipped }
  }

  it('refuses tools and schemas where no model takes them', () => {
    const tools = { tools: [{ type: 'function', function: { name: 'f' } }] }
    const format = { response_format: { type: 'json_schema', json_schema: { name: 's' } } }
    const plain = target({ tools: false, jsonSchema: false })
    expect(errorFrom({ ...base, ...tools }, schema, [plain])).toMatchObject({
      code: 'unsupported_parameter',
      param: 'tools',
    })
    expect(errorFrom({ ...base, functions: [{ name: 'f' }] }, schema, [plain])).toMatchObject({
      param: 'functions',
    })
    expect(errorFrom({ ...base, ...format }, schema, [plain])).toMatchObject({
      code: 'unsupported_value',
      param: 'response_format',
    })
    check({ ...base, tools: [], response_format: { type: 'json_object' } }, schema, [plain])
    check({ ...base, ...tools, ...format }, schema, [target({ tools: true, jsonSchema: true })])
    expect(skips(tools, [plain, unknown])).toEqual({ given: [unknown], skipped: [['unfit', 'tools']] })
  })

  it('refuses an answer that is longer than any model gives', () => {
    const short = target({ maxOutputTokens: 4_096 })
    const error = errorFrom({ ...base, max_completion_tokens: 5_000 }, schema, [short])
    expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'max_completion_tokens' })
    expect(error.message).toBe(
      'max_completion_tokens is too large: 5000. This model supports at most 4096 completion tokens, whereas you provided 5000.',
    )
    expect(errorFrom({ ...base, max_tokens: 5_000 }, schema, [short]).param).toBe('max_tokens')
    check({ ...base, max_tokens: 4_096 }, schema, [short])
    check(base, schema, [short])
  })

  it('looks at a request as the place is asked it', () => {
    const lowered = { ...target({ maxOutputTokens: 100 }), parameters: { max_completion_tokens: 100 } }
    check({ ...base, max_completion_tokens: 5_000 }, schema, [lowered])
    const fixed = { ...target({ reasoning: true }), parameters: { temperature: null } }
    const { request } = check({ ...base, temperature: 0.5 }, live, [fixed])
    expect(request.settings().temperature).toBe(0.5)
  })

  describe('by the length of the prompt', () => {
    const saying = (words: number) => ({ messages: [{ role: 'user', content: 'a '.repeat(words) }] })
    const [small, large] = [target({ contextTokens: 1_000 }), target({ contextTokens: 8_000 })]

    it('refuse what has more words than the context has tokens', () => {
      let error: unknown
      try {
        skips(saying(1_001), [small])
      } catch (thrown) {
        error = thrown
      }
      expect(error).toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
        param: 'messages',
        message:
          "This model's maximum context length is 1000 tokens. However, your messages have 1001 words, and so no fewer tokens. Please reduce the length of the messages.",
      })
      expect(skips(saying(1_000), [small]).given).toEqual([small])
      expect(skips(saying(1_001), [small, large])).toEqual({
        given: [large],
        skipped: [['too_small', 'messages']],
      })
    })

    it('put those last that likely are too small, and refuse none for it', () => {
      const about = (tokens: number) => () => tokens
      expect(skips({}, [small, large], about(1_001)).given).toEqual([large, small])
      expect(skips({}, [small, unknown, large], about(9_000)).given).toEqual([unknown, small, large])
      expect(skips({}, [small, large], about(9_000)).given).toEqual([small, large])
      expect(skips({}, [small, large], about(1_000)).given).toEqual([small, large])
    })

    it('do not ask how long it is where no target says', () => {
      const asked = () => {
        throw new Error('asked')
      }
      expect(skips(saying(5_000), [unknown, target({ tools: true })], asked).given).toHaveLength(2)
    })
  })
})
