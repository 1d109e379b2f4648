import { CopyButton } from '../../parts/copy-button.tsx'
import { scrollable } from '../../parts/scrollable.ts'

/** A block of code, to copy. */
export function CodeBlock({ text, language }: { text: string; language: string | undefined }) {
  return (
    <figure class="code-block">
      <figcaption class="muted small">
        <span>{language?.split(/\s/, 1)[0]?.slice(0, 30) || 'Code'}</span>
        <CopyButton text={text} label="Copy code" quiet />
      </figcaption>
      <pre {...scrollable}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
