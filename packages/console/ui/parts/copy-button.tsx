import { useState } from 'preact/hooks'

/** Copies a text, and says whether it could. */
export function CopyButton({ text, label, quiet = false }: { text: string; label: string; quiet?: boolean }) {
  const [said, setSaid] = useState<string>()
  const copy = () => {
    // Browsers have no clipboard where the page came over plain HTTP from another machine.
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copied.then(
      () => setSaid('Copied'),
      () => setSaid('Copying failed: select the text and copy it'),
    )
  }
  return (
    <>
      <button class={quiet ? 'button quiet' : 'button'} type="button" onClick={copy}>
        {label}
      </button>
      <span class="muted small" role="status">
        {said}
      </span>
    </>
  )
}
