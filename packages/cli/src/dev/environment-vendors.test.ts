import * as vendors from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { environmentVendors, knownVendors } from './environment-vendors.ts'

describe('environmentVendors', () => {
  it('finds those whose keys are set, in a fixed order', () => {
    const found = environmentVendors({
      GROQ_API_KEY: 'gsk',
      OPENAI_API_KEY: 'sk',
      OPENAI_BASE_URL: 'https://proxy.example/v1',
      MISTRAL_API_KEY: '',
      XAI_BASE_URL: 'https://nobody.example',
    })
    expect(found).toMatchObject([
      { name: 'openai', apiKey: 'sk', baseURL: 'https://proxy.example/v1' },
      { name: 'groq', apiKey: 'gsk', baseURL: undefined },
    ])
    expect(found).toHaveLength(2)
  })

  it.each([
    [{ OPENAI_API_KEY: 'sk-canary\n' }, 'OPENAI_API_KEY has characters that a key cannot have'],
    [{ GROQ_API_KEY: 'canary canary' }, 'GROQ_API_KEY has characters that a key cannot have'],
    [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'canary' }, 'OPENAI_BASE_URL is not a base URL'],
    [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'file:///canary' }, 'OPENAI_BASE_URL is not a base URL'],
    [
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://a:canary@x.example' },
      'OPENAI_BASE_URL is not a base URL',
    ],
    [
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://x.example/?canary' },
      'OPENAI_BASE_URL is not a base URL',
    ],
  ])('refuses %o, and tells nothing of it but its name', (env, message) => {
    const fault = expect.objectContaining({ message: expect.stringContaining(message), exitCode: 1 })
    expect(() => environmentVendors(env)).toThrow(fault)
    expect(() => environmentVendors(env)).not.toThrow('canary')
  })

  it('knows each hosted vendor that generates and needs no more than a key', () => {
    const embedding = ['jina', 'voyage']
    const withAccount = ['cloudflare', 'databricks']
    const withSharedToken = ['github', 'huggingface']
    const others = [
      ...embedding,
      ...withAccount,
      ...withSharedToken,
      'local',
      'ollama',
      'llamacpp',
      'lmstudio',
      'vllm',
      'azure',
      'bedrock',
      'vertex',
    ]
    const functions = ['openaiCompatible', 'encodeChatCompletions', 'decodeChatCompletions']
    const hosted = Object.entries(vendors)
      .filter(([name, value]) => typeof value === 'function' && ![...others, ...functions].includes(name))
      .map(([name]) => name)
    expect(knownVendors.map(({ name }) => name).sort()).toEqual(hosted.sort())
  })
})
