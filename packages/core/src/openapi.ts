export { type OpenApiDocument, type OpenApiOptions, openApiDocument } from './policies/openapi/document.ts'
export { openApi } from './policies/openapi/open-api.ts'
