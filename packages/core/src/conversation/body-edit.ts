export type { BodyEdit } from '../protocol/body-edit.ts'
