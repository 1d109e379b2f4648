import { describe, expect, it } from 'vitest'
import { claudeModel } from './models.ts'

describe('claudeModel', () => {
  it.each([
    ['claude-sonnet-4-20250514', 64_000, 'budget', false],
    ['claude-sonnet-4-0', 64_000, 'budget', false],
    ['claude-opus-4-20250514', 32_000, 'budget', false],
    ['claude-opus-4-1-20250805', 32_000, 'budget', true],
    ['claude-opus-4-5', 64_000, 'budget', true],
    ['claude-sonnet-4-5-20250929', 64_000, 'budget', true],
    ['claude-haiku-4-5-20251001', 64_000, 'budget', true],
    ['claude-3-7-sonnet-20250219', 64_000, 'budget', false],
    ['claude-3-5-haiku-latest', 8_192, 'none', false],
    ['claude-3-opus-20240229', 4_096, 'none', false],
    ['claude-3-haiku-20240307', 4_096, 'none', false],
    ['claude-2.1', 4_096, 'none', false],
    ['claude-instant-1.2', 4_096, 'none', false],
    ['claude-opus-4-6', 128_000, 'adaptive', true],
    ['claude-sonnet-4-6', 128_000, 'adaptive', true],
    ['claude-opus-4-8', 128_000, 'adaptive', true],
    ['claude-sonnet-5', 128_000, 'adaptive', true],
    ['claude-fable-5', 128_000, 'adaptive', true],
    ['claude-something-new', 128_000, 'adaptive', true],
    ['some-server-model', 4_096, 'budget', false],
  ] as const)('%s answers with at most %i tokens and thinks by %s', (id, maxOutput, thinking, structured) => {
    expect(claudeModel(id)).toMatchObject({ maxOutput, thinking, structuredOutputs: structured })
  })

  it.each([
    ['claude-sonnet-4@20250514', 'claude-sonnet-4-20250514'],
    ['claude-opus-4@20250514', 'claude-opus-4-20250514'],
    ['claude-3-5-sonnet-v2@20241022', 'claude-3-5-sonnet-20241022'],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4-20250514'],
    ['anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['global.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0',
      'claude-opus-4-1',
    ],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['Claude-Opus-4-8', 'claude-opus-4-8'],
  ])('%s is %s', (name, own) => {
    expect(claudeModel(name)).toEqual(claudeModel(own))
    expect(claudeModel(name)).not.toEqual(claudeModel('unknown'))
  })

  it('knows that Vertex AI has structured outputs from 4.6 on', () => {
    expect(claudeModel('claude-sonnet-4-5@20250929')).toEqual({
      ...claudeModel('claude-sonnet-4-5'),
      structuredOutputs: false,
    })
    expect(claudeModel('claude-opus-4-6@default').structuredOutputs).toBe(true)
    expect(claudeModel('claude-sonnet-4-6').structuredOutputs).toBe(true)
  })

  it('knows who takes sampling, effort and words that the caller begins', () => {
    expect(claudeModel('claude-sonnet-4-20250514')).toMatchObject({
      sampling: true,
      temperatureWithTopP: true,
      efforts: [],
      prefill: true,
    })
    expect(claudeModel('claude-sonnet-4-5')).toMatchObject({
      sampling: true,
      temperatureWithTopP: false,
      efforts: [],
      prefill: true,
    })
    expect(claudeModel('claude-opus-4-6')).toMatchObject({
      sampling: true,
      efforts: ['low', 'medium', 'high', 'max'],
      prefill: false,
      thinksByDefault: false,
      thinkingHidden: false,
    })
    expect(claudeModel('claude-opus-4-7')).toMatchObject({
      sampling: false,
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      thinksByDefault: false,
      thinkingHidden: true,
    })
    expect(claudeModel('claude-sonnet-5')).toMatchObject({ thinksByDefault: true, thinkingOff: 'disabled' })
    expect(claudeModel('claude-fable-5')).toMatchObject({ thinkingOff: false, forcedTools: 'always' })
    expect(claudeModel('claude-fable-5-1')).toMatchObject({ thinkingOff: false, forcedTools: 'never' })
    expect(claudeModel('claude-opus-5-5')).toMatchObject({ thinkingOff: false, forcedTools: 'never' })
    expect(claudeModel('claude-sonnet-5-5')).toMatchObject({
      thinkingOff: 'between_tools',
      forcedTools: 'never',
    })
    expect(claudeModel('claude-haiku-5-5')).toMatchObject({
      thinksByDefault: true,
      thinkingOff: 'disabled',
      forcedTools: 'always',
    })
    expect(claudeModel('claude-mythos-preview')).toMatchObject({ thinkingOff: false })
    expect(claudeModel('claude-mythos-preview').efforts).not.toContain('xhigh')
  })
})
