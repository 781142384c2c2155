// SPDX-License-Identifier: MIT
// One step of n bodies that attract each other; w of a position is the body's mass.
kernel void nbody(global const float4 *position, global float4 *velocity, global float4 *moved, int n, float dt,
                  float softening) {
  const int i = get_global_id(0);
  const float4 p = position[i];
  float4 force = (float4)(0.0f);
  for (int j = 0; j < n; j++) {
    const float4 q = position[j];
    const float4 d = q - p;
    const float r2 = d.x * d.x + d.y * d.y + d.z * d.z + softening;
    const float inverse = rsqrt(r2);
    force.xyz += d.xyz * (q.w * inverse * inverse * inverse);
  }
  float4 v = velocity[i];
  v.xyz += force.xyz * dt;
  velocity[i] = v;
  moved[i] = (float4)(p.xyz + v.xyz * dt, p.w);
}
