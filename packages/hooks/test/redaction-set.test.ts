import { describe, expect, it } from 'vitest'
import { figures, labelledTexts } from './labelled-texts.ts'

describe('what redact finds in the labelled set', () => {
  it('is measured with enough values, and with texts that have none', () => {
    expect(labelledTexts.length).toBeGreaterThanOrEqual(500)
    expect(labelledTexts.filter(({ spans }) => spans.length === 0).length).toBeGreaterThan(150)
    for (const { values } of figures()) expect(values).toBeGreaterThan(80)
    for (const { text, spans } of labelledTexts) {
      for (const { start, end } of spans) expect(text.slice(start, end).trim()).toHaveLength(end - start)
    }
  })

  it.each(figures())('is nearly all of it: $kind', ({ kind, recall, precision }) => {
    const hasChecksum = kind === 'card' || kind === 'iban'
    expect(recall).toBeGreaterThanOrEqual(hasChecksum ? 0.98 : 0.97)
    expect(precision).toBeGreaterThanOrEqual(0.98)
  })
})
