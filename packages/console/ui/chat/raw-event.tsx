/** The piece of an answer in an event: what one looks for in a long line. */
const piece =
  /"(?:content|refusal|reasoning_content)":"(?:[^"\\]|\\.)+"|"finish_reason":"[^"]*"|"usage":\{.*\}|\[DONE\]/

/** An event as it came, with what is new in it in bold. */
export function RawEvent({ raw }: { raw: string }) {
  const found = piece.exec(raw)
  if (found === null) return <code>{raw}</code>
  const end = found.index + found[0].length
  return (
    <code>
      {raw.slice(0, found.index)}
      <b>{found[0]}</b>
      {raw.slice(end)}
    </code>
  )
}
