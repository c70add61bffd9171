import { expect, test } from 'vitest';
import { errorBody } from '../../../src/http/error-body.ts';
import { invalidFields, resourceNotFound } from '../../../src/model/api-error.ts';

// Source: AIP-193.
const errorInfo = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'paw-gateway',
  metadata: { requestId: 'request-1' },
});

test('an error has its HTTP status, its message, its canonical name and its reason', () => {
  const error = resourceNotFound();
  expect(JSON.parse(errorBody(error, 'request-1'))).toEqual({
    error: {
      code: 404,
      message: error.message,
      status: 'NOT_FOUND',
      details: [errorInfo('RESOURCE_NOT_FOUND')],
    },
  });
});

test('an error of the input has the fields at fault as well', () => {
  const fieldViolations = [{ field: 'title', description: 'Required.' }];
  expect(JSON.parse(errorBody(invalidFields(fieldViolations), 'request-1'))).toEqual({
    error: {
      code: 400,
      message: 'title: Required.',
      status: 'INVALID_ARGUMENT',
      details: [
        errorInfo('INVALID_FIELD'),
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations },
      ],
    },
  });
});
