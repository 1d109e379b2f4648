import { describe, expect, it } from 'vitest'
import { claudeCodeLine } from './claude-code-line.ts'

const baseURL = 'http://127.0.0.1:8787/v1'

describe('claudeCodeLine', () => {
  it('sets the URL without /v1, the key, and both models', () => {
    expect(claudeCodeLine('linux', baseURL, 'sk-mine', 'openai/gpt-5')).toBe(
      'ANTHROPIC_BASE_URL=http://127.0.0.1:8787 ANTHROPIC_AUTH_TOKEN=sk-mine ANTHROPIC_DEFAULT_HAIKU_MODEL=openai/gpt-5 claude --model openai/gpt-5',
    )
  })

  it('is for PowerShell on Windows', () => {
    expect(claudeCodeLine('win32', baseURL, "it's", 'm')).toBe(
      "$env:ANTHROPIC_BASE_URL='http://127.0.0.1:8787'; $env:ANTHROPIC_AUTH_TOKEN='it''s'; $env:ANTHROPIC_DEFAULT_HAIKU_MODEL='m'; claude --model 'm'",
    )
  })

  it('quotes what a shell would read', () => {
    expect(claudeCodeLine('darwin', baseURL, "a'$b", 'm')).toContain(
      `ANTHROPIC_AUTH_TOKEN='a'\\''$b' ANTHROPIC_DEFAULT`,
    )
  })

  it('is none for a base path without /v1 at its end', () => {
    expect(claudeCodeLine('linux', 'http://127.0.0.1:8787/ai', 'k', 'm')).toBeUndefined()
  })
})
