import { describe, expect, it } from 'vitest'
import { bedrockModel } from './models.ts'

describe('bedrockModel', () => {
  it.each([
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'apac.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:inference-profile/us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ])('knows %s as a Claude', id => {
    expect(bedrockModel(id)).toMatchObject({
      claude: { maxOutput: 64_000, thinking: 'budget' },
      structuredOutputs: true,
      toolIds: 'plain',
    })
  })

  it.each([
    ['anthropic.claude-3-haiku-20240307-v1:0', false],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', false],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', true],
    ['us.anthropic.claude-sonnet-4-6', true],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', true],
    ['us.anthropic.claude-opus-4-20250514-v1:0', false],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', true],
    ['us.anthropic.claude-opus-4-6-v1', true],
    ['us.anthropic.claude-opus-4-7', false],
    ['us.anthropic.claude-opus-4-8', false],
    ['global.anthropic.claude-sonnet-5', false],
    ['global.anthropic.claude-opus-5', false],
    ['global.anthropic.claude-sonnet-5-5', false],
    ['us.openai.gpt-oss-120b-1:0', true],
    ['mistral.mistral-large-2402-v1:0', false],
    ['mistral.mistral-large-3-675b-instruct', true],
    ['us.amazon.nova-pro-v1:0', false],
    ['deepseek.v3-v1:0', true],
    ['us.deepseek.r1-v1:0', false],
  ])('knows whether %s has structured outputs: %s', (id, structuredOutputs) => {
    expect(bedrockModel(id).structuredOutputs).toBe(structuredOutputs)
  })

  it.each([
    ['us.amazon.nova-2-lite-v1:0', { reasoning: 'nova', prefill: false, cachePoints: 'untilTools' }],
    ['amazon.nova-micro-v1:0', { reasoning: 'none', toolChoice: 'tool', topK: 'inferenceConfig.topK' }],
    ['openai.gpt-oss-20b-1:0', { reasoning: 'flat', toolChoice: 'any' }],
    ['us.meta.llama3-3-70b-instruct-v1:0', { toolChoice: 'auto', cachePoints: 'nowhere' }],
    ['mistral.pixtral-large-2502-v1:0', { toolIds: 'nine', structuredOutputs: false }],
    ['us.deepseek.r1-v1:0', { toolChoice: 'auto' }],
    ['moonshotai.kimi-k2.5', { structuredOutputs: true, toolIds: 'any' }],
    ['somebody.something-new', { toolChoice: 'tool', reasoningFormat: 'amazon-bedrock-v1' }],
    ['us.anthropic.claude-opus-4-6-v1', { claude: { forcedTools: 'unthinking' } }],
    ['us.anthropic.claude-opus-4-7', { claude: { forcedTools: 'unthinking' } }],
    ['us.anthropic.claude-opus-4-8', { claude: { forcedTools: 'always' } }],
  ])('knows %s', (id, facts) => {
    expect(bedrockModel(id)).toMatchObject(facts)
  })

  it.each([
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/claude1nova2',
    'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/abc',
    '',
  ])('takes %j as a model of which nothing is known', id => {
    expect(bedrockModel(id)).toMatchObject({
      claude: undefined,
      reasoning: 'none',
      toolChoice: 'tool',
      reasoningFormat: 'anthropic-claude-v1',
    })
  })
})
