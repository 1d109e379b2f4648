import { readFileSync } from 'node:fs'
import { findValues } from '../src/redaction/finder.ts'
import { foldText } from '../src/redaction/fold-text.ts'
import { findersOf, type RedactedKind, redactedKinds } from '../src/redaction/kinds.ts'

/** A value in a text, in UTF-16 code units. */
export interface LabelledSpan {
  readonly kind: RedactedKind
  readonly start: number
  readonly end: number
}

export interface LabelledText {
  readonly text: string
  readonly spans: readonly LabelledSpan[]
}

/**
 * The labelled set: values of all kinds and forms, and texts that look like them. All values are made up. Secret keys have a `¦` in the
 * file, which belongs to none of them: scanners of repositories would take them for real ones.
 */
export const labelledTexts: readonly LabelledText[] = readFileSync(
  new URL('fixtures/redaction.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map(line => JSON.parse(line.replaceAll('¦', '')) as LabelledText)

/** Returns what `redact` finds in a text. */
export function spansIn(text: string): readonly LabelledSpan[] {
  const finders = redactedKinds.flatMap(kind => findersOf[kind])
  const { text: folded, originOf } = foldText(text)
  return [...findValues(folded, finders)].map(({ start, end, finder }) => ({
    kind: redactedKinds.find(kind => findersOf[kind].includes(finder))!,
    start: originOf(start),
    end: originOf(end),
  }))
}

/** How well values of one kind are found. */
export interface KindFigures {
  readonly kind: RedactedKind
  readonly values: number
  /** The share of the values that are found completely. */
  readonly recall: number
  /** The share of what is found that is, or is in, a value of its kind. */
  readonly precision: number
}

export function figures(): readonly KindFigures[] {
  const found = labelledTexts.map(each => ({ ...each, found: spansIn(each.text) }))
  return redactedKinds.map(kind => {
    const labelled = found.flatMap(each =>
      each.spans.filter(span => span.kind === kind).map(span => ({ span, each })),
    )
    const complete = labelled.filter(({ span, each }) =>
      each.found.some(({ start, end }) => start <= span.start && end >= span.end),
    )
    const all = found.flatMap(each =>
      each.found.filter(span => span.kind === kind).map(span => ({ span, each })),
    )
    const right = all.filter(({ span, each }) =>
      each.spans.some(
        ({ kind: other, start, end }) => other === kind && start < span.end && end > span.start,
      ),
    )
    return {
      kind,
      values: labelled.length,
      recall: complete.length / labelled.length,
      precision: right.length / all.length,
    }
  })
}
