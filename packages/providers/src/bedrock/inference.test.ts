import { describe, expect, it } from 'vitest'
import {
  type Asked,
  adjusted,
  bodyOf,
  encoded,
  gptOss,
  llama,
  nova,
  nova2,
  refusal,
  sonnet45,
  sonnet46,
  tool,
} from '../../test/bedrock/scripted-request.ts'

describe('reasoning_effort', () => {
  const fieldsOf = async (asked: Asked, model?: string) =>
    (await bodyOf(asked, model)).additionalModelRequestFields

  it.each<[string, Asked['reasoning_effort'], object | undefined]>([
    [sonnet45, 'none', undefined],
    [sonnet45, 'low', { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    [sonnet45, 'high', { thinking: { type: 'enabled', budget_tokens: 24_576 } }],
    [sonnet46, 'none', { thinking: { type: 'disabled' } }],
    [sonnet46, 'medium', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
    ['anthropic.claude-3-haiku-20240307-v1:0', 'high', undefined],
    [nova2, 'none', { reasoningConfig: { type: 'disabled' } }],
    [nova2, 'minimal', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    [nova2, 'medium', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
    [nova2, 'max', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }],
    [nova, 'high', undefined],
    [gptOss, 'medium', { reasoning_effort: 'medium' }],
    [gptOss, 'none', { reasoning_effort: 'low' }],
    [gptOss, 'xhigh', { reasoning_effort: 'high' }],
    [llama, 'low', undefined],
  ])('of %s: %s', async (model, reasoning_effort, fields) => {
    expect(await fieldsOf({ reasoning_effort: reasoning_effort! }, model)).toEqual(fields)
  })

  it('tells where it is not what was asked', async () => {
    expect(await adjusted({ reasoning_effort: 'high' })).toEqual([
      'reasoning_effort mapped',
      'max_tokens defaulted',
    ])
    expect(await adjusted({ reasoning_effort: 'high' }, nova2)).toEqual([])
    expect(await adjusted({ reasoning_effort: 'max' }, nova2)).toEqual(['reasoning_effort mapped'])
    expect(await adjusted({ reasoning_effort: 'low' }, llama)).toEqual(['reasoning_effort dropped'])
    expect(await adjusted({ reasoning_effort: 'none' }, llama)).toEqual([])
  })

  it.each<[string, Asked['reasoning_effort'], number]>([
    [sonnet45, 'low', 1_024 + 8_192],
    [sonnet45, 'high', 24_576 + 8_192],
    [sonnet45, 'max', 64_000],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 'high', 32_000],
  ])('gives %s a bound above its budget where the caller gave none: %s', async (model, effort, maxTokens) => {
    const { body, adjustments } = await encoded({ reasoning_effort: effort! }, model)
    const { thinking } = body.additionalModelRequestFields as { thinking: { budget_tokens: number } }
    expect(body.inferenceConfig).toEqual({ maxTokens })
    expect(thinking.budget_tokens).toBeLessThan(maxTokens)
    expect(adjustments.at(-1)).toEqual({
      parameter: 'max_tokens',
      action: 'defaulted',
      detail: `${maxTokens} tokens, ${thinking.budget_tokens} of them for thinking`,
    })
  })

  it('gives thinking without a budget room in the bound, where the caller gave none', async () => {
    const { body, adjustments } = await encoded({ reasoning_effort: 'low' }, sonnet46)
    expect(body.inferenceConfig).toEqual({ maxTokens: 8_192 + 24_576 })
    expect(adjustments).toMatchObject([{ parameter: 'max_tokens', action: 'defaulted' }])
    const max_tokens = 500
    expect((await bodyOf({ reasoning_effort: 'low', max_tokens }, sonnet46)).inferenceConfig).toEqual({
      maxTokens: max_tokens,
    })
    expect((await bodyOf({}, sonnet46)).inferenceConfig).toBeUndefined()
  })

  it('adds Claude’s budget to the bound of the answer, and leaves sampling out', async () => {
    const { body, adjustments } = await encoded({
      reasoning_effort: 'low',
      max_completion_tokens: 500,
      temperature: 0.5,
      top_p: 1,
      top_k: 5,
    })
    expect(body.inferenceConfig).toEqual({ maxTokens: 1_524 })
    expect(adjustments.map(({ parameter, action }) => `${parameter} ${action}`)).toEqual([
      'reasoning_effort mapped',
      'max_completion_tokens mapped',
      'temperature dropped',
      'top_k dropped',
    ])
  })

  it('takes no bound and no sampling beside the highest effort of Nova 2', async () => {
    const asked = { reasoning_effort: 'high' as const }
    expect(await refusal({ ...asked, max_tokens: 100 }, nova2)).toBe('max_tokens unsupported_parameter')
    expect(await refusal({ ...asked, temperature: 0.1 }, nova2)).toBe('temperature unsupported_parameter')
    expect(await adjusted({ ...asked, max_completion_tokens: 9, top_p: 0.5 }, nova2, 'drop')).toEqual([
      'max_completion_tokens dropped',
      'top_p dropped',
    ])
    expect((await bodyOf({ reasoning_effort: 'low', max_tokens: 100 }, nova2)).inferenceConfig).toEqual({
      maxTokens: 100,
    })
  })

  it('gives way to the vendor’s own words', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    expect(await fieldsOf({ thinking })).toEqual({ thinking })
    const additionalModelRequestFields = { thinking }
    const { body, adjustments } = await encoded({
      additionalModelRequestFields,
      temperature: 0,
      reasoning_effort: 'low',
    })
    expect(body).toMatchObject({ additionalModelRequestFields, inferenceConfig: { maxTokens: 10_192 } })
    expect(adjustments.map(({ parameter }) => parameter)).toEqual([
      'reasoning_effort',
      'max_tokens',
      'temperature',
    ])
    const older = { reasoning_config: thinking }
    expect(await fieldsOf({ additionalModelRequestFields: older })).toEqual({ thinking })
    expect(await adjusted({ thinking }, nova)).toEqual(['thinking dropped'])
  })

  it('joins the vendor’s own words, and tells of what these say already', async () => {
    expect(
      await encoded(
        {
          reasoning_effort: 'medium',
          top_k: 5,
          additionalModelRequestFields: {
            output_config: { task_budget: 1 },
            top_k: 6,
            anthropic_beta: ['x'],
          },
        },
        sonnet46,
      ),
    ).toMatchObject({
      body: {
        additionalModelRequestFields: {
          thinking: { type: 'adaptive' },
          output_config: { effort: 'medium', task_budget: 1 },
          anthropic_beta: ['x'],
        },
      },
      adjustments: [{ parameter: 'top_k' }, { parameter: 'max_tokens' }, { parameter: 'top_k' }],
    })
    const reasoningConfig = { type: 'disabled' }
    const asked: Asked = { reasoning_effort: 'low', additionalModelRequestFields: { reasoningConfig } }
    expect(await fieldsOf(asked, nova2)).toEqual({ reasoningConfig })
    expect(await adjusted(asked, nova2)).toEqual(['reasoning_effort dropped'])
    expect(
      await adjusted({
        tools: [tool('f')],
        parallel_tool_calls: false,
        additionalModelRequestFields: { tool_choice: { type: 'none' } },
      }),
    ).toEqual(['parallel_tool_calls dropped'])
  })
})
