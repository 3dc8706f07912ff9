import { expect, inject, test } from 'vitest';
import { toWireRequest } from '#contract/call.ts';
import type { Endpoint, EndpointName } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { openArchive } from '#server/testing/archive.ts';
import { addSecondFactor } from '#server/testing/staff.ts';
import { callStaffEndpoint } from '#server/testing/staff-callers.ts';
import { staffCalls, staffEndpointNames, unknownTarget } from '#server/testing/staff-inputs.ts';

test(
  'A new archive has no staff, and nothing over HTTP makes its first member staff',
  {
    tags: ['spec-6.1', 'spec-6.2'],
  },
  async () => {
    const fresh = await openArchive(inject('databases'));
    try {
      const countRoles = async () => (await fresh.pool.query('select from staff_roles')).rowCount;
      expect(await countRoles()).toBe(0);
      const { device, uid, email, document } = await fresh.createMember();
      // Without it, staff calls would be refused for another reason than the role.
      await addSecondFactor(fresh, { uid });
      // All endpoints that do not belong to the staff console, with a role in query and body.
      const role = { role: 'owner', isStaff: true, isAdmin: true };
      for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
        if (name in staffCalls || name.includes('sign-out')) continue;
        const { method, url } = toWireRequest(name as EndpointName, { params: { id: uid } });
        if (endpoint.query) await device.fetch(method, `${url}?role=owner&isStaff=true`);
        if (endpoint.body) await device.fetch(method, url, { ...document, ...role, email });
      }
      const scope = { college: null, department: null, yearFrom: null, yearTo: null };
      const own = { body: { email, role: 'owner', ...scope, lastDay: null } };
      for (const visitor of [fresh.openDevice(), device]) {
        for (const name of staffEndpointNames)
          for (const response of await callStaffEndpoint(visitor, name, unknownTarget))
            expect([name, response.statusCode >= 400]).toEqual([name, true]);
        const { statusCode } = await visitor.ask('POST /api/staff/roles', own as never);
        expect(statusCode).toBe(visitor === device ? 403 : 401);
      }
      expect(await countRoles()).toBe(0);
      expect((await device.call('GET /api/identity/session')).user?.isStaff).toBe(false);
    } finally {
      await fresh.close();
    }
  },
);
