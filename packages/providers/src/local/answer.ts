import { answerArithmetic } from './arithmetic.ts'
import { converse } from './conversation.ts'
import { answerCounting } from './counting.ts'
import { answerDates } from './dates.ts'
import { answerExtraction } from './extraction.ts'
import type { Prompt, ToolResult } from './prompt.ts'
import { answerSummary } from './summary.ts'
import { answerTransformation } from './transformation.ts'

/**
 * The text with which the local provider answers: of a tool's result if there is one, else of the first
 * skill that finds its question in the user's text, else of the conversation. Only there does it differ by
 * `variant`, the choice's index.
 */
export function answer(prompt: Prompt, now: number): (variant: number) => string {
  const found = prompt.results.length > 0 ? reportResults(prompt.results) : answerBySkill(prompt.text, now)
  return found === undefined ? variant => converse(prompt, variant) : () => found
}

/** The answer to a question that one of the skills knows; `undefined` where none does. */
export function answerBySkill(text: string, now: number): string | undefined {
  return (
    answerCounting(text) ??
    answerExtraction(text, now) ??
    answerSummary(text) ??
    answerTransformation(text) ??
    answerDates(text, now) ??
    answerArithmetic(text)
  )
}

function reportResults(results: readonly ToolResult[]): string {
  return results.map(({ name, content }) => `${name} answered: ${describe(content)}`).join('\n')
}

function describe(content: string): string {
  if (content.trim() === '') return 'nothing.'
  const value = content.length <= 20_000 ? parse(content) : undefined
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const fields = Object.entries(value).slice(0, 20)
    if (fields.length > 0) return `${fields.map(([key, field]) => `${key}: ${inWords(field)}`).join(', ')}.`
  }
  if (Array.isArray(value)) {
    return value.length === 0
      ? 'an empty list.'
      : `${value.length} ${value.length === 1 ? 'item' : 'items'}, first ${inWords(value[0])}.`
  }
  return content.length <= 600 ? content.trim() : `${content.slice(0, 600).trim()} ...`
}

function inWords(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= 120 ? text : `${text.slice(0, 120)} ...`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
