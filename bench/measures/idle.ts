import { figure } from '../figures.ts'
import type { Plan } from '../plan.ts'
import { notMeasured, type Row } from '../row.ts'
import { measureLengths, measureStreams } from '../streams/measure.ts'

/** Bytes of a stream that grow within a minute and are still called flat: what a heap breathes. */
const flat = 1_024
/** How many events streams have had before they are silent. */
const lengths = [1, 100, 1_000]

/** What streams hold that live for long and say little. */
export async function measureIdle({
  idleStreams: count,
  silentStreams,
  idleSeconds: seconds,
  runtime,
}: Plan): Promise<Row[]> {
  const what = `memory of each of ${count.toLocaleString('en')} idle streams`
  if (runtime.sources) return [notMeasured('idle', what, '<= 64 KiB', 'on what is built only')]
  const { node } = runtime
  const { bytesPerStream, liveBytesPerStream, addedMsPerEvent, growthBytesPerStreamPerMinute } =
    await measureStreams({ count, seconds, node })
  const lived = await measureLengths(lengths, { count: silentStreams, node })
  const more = Math.max(...lived) - lived[0]!
  return [
    {
      id: 'idle',
      what,
      figure: figure(bytesPerStream / 1_024, 'KiB'),
      value: bytesPerStream / 1_024,
      goal: '<= 64 KiB',
      met: bytesPerStream <= 64 * 1_024,
    },
    {
      id: 'idle',
      what: '- of that, what a collection leaves',
      figure: figure(liveBytesPerStream / 1_024, 'KiB'),
      value: liveBytesPerStream / 1_024,
    },
    {
      id: 'idle',
      what: `- the same of ${silentStreams} silent streams, after ${lengths.join(', ')} events`,
      figure: lived.map(bytes => figure(bytes / 1_024, 'KiB')).join(', '),
      goal: `<= ${flat} bytes more than after the first`,
      met: more <= flat,
    },
    {
      id: 'idle',
      what: '- growth of each in a minute',
      figure: figure(growthBytesPerStreamPerMinute, 'bytes'),
      value: growthBytesPerStreamPerMinute,
      goal: `<= ${flat} bytes`,
      met: growthBytesPerStreamPerMinute <= flat,
    },
    {
      id: 'idle',
      what: '- latency added to an event, against a pipe',
      value: addedMsPerEvent.p50,
      figure: `p50 ${figure(addedMsPerEvent.p50, 'ms')}, p99 ${figure(addedMsPerEvent.p99, 'ms')}`,
    },
  ]
}
