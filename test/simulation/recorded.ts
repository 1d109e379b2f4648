import {
  type HistoryRecord,
  type SimulationOptions,
  SimulationSummary,
  simulate,
} from '@sluice/testing/simulation'

/** Simulates, and returns what happened: the records of a type, and the report of all. */
export async function recorded(options: SimulationOptions) {
  const records: HistoryRecord[] = []
  const summary = new SimulationSummary()
  const result = await simulate({
    ...options,
    listeners: [{ record: record => records.push(record) }, summary],
  })
  const of = <Type extends HistoryRecord['type']>(type: Type) =>
    records.filter((record): record is Extract<HistoryRecord, { type: Type }> => record.type === type)
  return { result, of, report: summary.report() }
}
