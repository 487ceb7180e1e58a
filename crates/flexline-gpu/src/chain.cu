// Equilibria of many clamped cables, one cable a thread: Newton's method on the frames of a chain of segments.
//
// The same discrete rod as flexline::rod::mixed (docs/theory/mixed-rod.md), in fewer coordinates. Where nothing acts on
// positions but weight, these follow from the frames, x_{i+1} = x_i + l_i d3(f_{i+1}), and what is left to find are the
// rotations θ_1 … θ_n of the frames between two clamps and the force N at the far one:
//
//   energy       E = Σ_j ½ (value_j − rest_j)·spring_j (value_j − rest_j) − Σ_i l_i d3(f_{i+1})·n_i
//   constraint   c = x_n − X = 0
//   force        n_i = N + Σ_{j > i} m_j g        in segment i, of the part beyond on the part before
//   step         H θ − Bᵀ δN = −∇E,   B θ = −c,   B = ∂x_n/∂θ
//
// H is block tridiagonal, 3 × 3. One pass from the near end evaluates and eliminates, one from the far end substitutes.
// The counts of negative pivots are those of H and of S = B H⁻¹ Bᵀ: the equilibrium is a minimum of the energy where
// negative(H) + positive(S) = 3 (inertia of the saddle point matrix, N. I. M. Gould, 1985).
//
// Numbers of the k-th of `count` cables stand at [(row * count) + k], so that neighbouring threads read neighbours.
//
// It is compiled at run time for the card that is there, and by a C++ compiler for the tests.

struct Vec { double x, y, z; };
struct Quat { double w, x, y, z; };
struct Mat { double m[3][3]; };

#define INLINE static __device__ __forceinline__
#define PI 3.14159265358979323846

INLINE Vec vec(double x, double y, double z) { Vec v = {x, y, z}; return v; }
INLINE Vec operator+(Vec a, Vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
INLINE Vec operator-(Vec a, Vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
INLINE Vec operator*(Vec a, double s) { return vec(a.x * s, a.y * s, a.z * s); }
INLINE double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Vec cross(Vec a, Vec b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
INLINE double largest(Vec a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

INLINE Quat times(Quat a, Quat b) {
    Quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}
INLINE Quat conjugate(Quat a) { Quat q = {a.w, -a.x, -a.y, -a.z}; return q; }

// The frame turned by θ about its own axes.
INLINE Quat turned(Quat f, Vec theta) {
    double square = dot(theta, theta), half = 0.5 * sqrt(square);
    // sin(h)/h by its series where the quotient would be 0/0.
    double factor = square < 1e-8 ? 0.5 * (1.0 - square / 24.0) : 0.5 * sin(half) / half;
    Quat turn = {cos(half), theta.x * factor, theta.y * factor, theta.z * factor};
    Quat q = times(f, turn);
    double scale = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    q.w *= scale; q.x *= scale; q.y *= scale; q.z *= scale;
    return q;
}

// Directors in world axes: columns of the rotation.
struct Frame { Vec d1, d2, d3; };
INLINE Frame directors(Quat q) {
    Frame f;
    f.d1 = vec(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y));
    f.d2 = vec(2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z + q.w * q.x));
    f.d3 = vec(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
    return f;
}

INLINE Mat zero() { Mat a = {}; return a; }
INLINE Mat outer(Vec a, Vec b) {
    Mat r = {{{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return r;
}
INLINE Mat skew(Vec v) { Mat r = {{{0.0, -v.z, v.y}, {v.z, 0.0, -v.x}, {-v.y, v.x, 0.0}}}; return r; }
#define EACH for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j)
INLINE Mat operator+(Mat a, Mat b) { EACH a.m[i][j] += b.m[i][j]; return a; }
INLINE Mat operator-(Mat a, Mat b) { EACH a.m[i][j] -= b.m[i][j]; return a; }
INLINE Mat operator*(Mat a, double s) { EACH a.m[i][j] *= s; return a; }
INLINE Mat transposed(Mat a) { Mat r; EACH r.m[i][j] = a.m[j][i]; return r; }
INLINE Mat operator*(Mat a, Mat b) {
    Mat r;
    EACH r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return r;
}
// aᵀ b
INLINE Mat tr_mul(Mat a, Mat b) {
    Mat r;
    EACH r.m[i][j] = a.m[0][i] * b.m[0][j] + a.m[1][i] * b.m[1][j] + a.m[2][i] * b.m[2][j];
    return r;
}
INLINE Vec operator*(Mat a, Vec v) {
    return vec(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z, a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
               a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}
INLINE Vec tr_mul(Mat a, Vec v) {
    return vec(a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z, a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
               a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z);
}

// L D Lᵀ of a symmetric 3 × 3 matrix, without pivoting: the signs of D are those of its eigenvalues.
struct Factor { double a, b, c, d1, d2, d3; };
INLINE Factor factorised(const Mat& s) {
    Factor f;
    f.d1 = s.m[0][0];
    f.a = s.m[1][0] / f.d1;
    f.b = s.m[2][0] / f.d1;
    f.d2 = s.m[1][1] - f.a * s.m[1][0];
    f.c = (s.m[2][1] - f.a * s.m[2][0]) / f.d2;
    f.d3 = s.m[2][2] - f.b * s.m[2][0] - f.c * f.c * f.d2;
    return f;
}
INLINE int negatives(const Factor& f) { return (f.d1 < 0.0) + (f.d2 < 0.0) + (f.d3 < 0.0); }
INLINE Vec solve(const Factor& f, Vec r) {
    double y = r.y - f.a * r.x, z = r.z - f.b * r.x - f.c * y;
    z /= f.d3;
    y = y / f.d2 - f.c * z;
    return vec(r.x / f.d1 - f.a * y - f.b * z, y, z);
}
INLINE Mat solve(const Factor& f, const Mat& r) {
    Mat s;
    for (int j = 0; j < 3; ++j) {
        Vec column = solve(f, vec(r.m[0][j], r.m[1][j], r.m[2][j]));
        s.m[0][j] = column.x; s.m[1][j] = column.y; s.m[2][j] = column.z;
    }
    return s;
}

// Gradient and Hessian of the energy of a vertex by the rotations α and β of the frames beside it: rod/mixed/vertex.rs, in
// the notation of that file.
struct Vertex { Vec ga, gb; Mat aa, ab, bb; Vec moment; double twist; };
INLINE Vertex vertex(Quat p, double history, Vec rest, Vec spring) {
    Vertex e;
    double raw = 2.0 * atan2(p.z, p.w);
    double turns = rint((history - raw) / (2.0 * PI));
    double sign = fmod(fabs(turns), 2.0) == 1.0 ? -1.0 : 1.0;
    double square = p.w * p.w + p.z * p.z, omega = sqrt(square), d = 1.0 + omega;
    double h = sign * 4.0 / d, dh = -sign * 4.0 / (d * d), ddh = sign * 8.0 / (d * d * d);
    double cw = p.w / omega, cz = p.z / omega, hw = dh * cw, hz = dh * cz;
    e.twist = raw + 2.0 * PI * turns;
    Vec value = vec(h * p.x, h * p.y, e.twist);
    Vec away = value - rest;
    e.moment = vec(away.x * spring.x, away.y * spring.y, away.z * spring.z);

    double tw = -2.0 * p.z / square, tz = 2.0 * p.w / square;
    double along = e.moment.x * p.x + e.moment.y * p.y;
    double g0 = along * hw + e.moment.z * tw;
    Vec gv = vec(h * e.moment.x, h * e.moment.y, along * hz + e.moment.z * tz);
    Vec v = vec(p.x, p.y, p.z);
    Vec common = (gv * p.w - v * g0) * 0.5, turn = cross(v, gv) * 0.5;
    e.ga = vec(0.0, 0.0, 0.0) - common - turn;
    e.gb = common - turn;

    // The form in p: (∂value)ᵀ spring (∂value) + Σ moment ∂²value.
    double hww = ddh * cw * cw + dh * cz * cz / omega, hwz = (ddh - dh / omega) * cw * cz,
           hzz = ddh * cz * cz + dh * cw * cw / omega;
    double kx = spring.x * p.x, ky = spring.y * p.y, bent = kx * p.x + ky * p.y;
    double twisted = e.moment.z / (square * square);
    double ww = bent * hw * hw + spring.z * tw * tw + along * hww + twisted * 4.0 * p.z * p.w;
    Vec wv = vec(kx * h * hw + e.moment.x * hw, ky * h * hw + e.moment.y * hw,
                 bent * hw * hz + spring.z * tw * tz + along * hwz + twisted * 2.0 * (p.z * p.z - p.w * p.w));
    double xz = kx * h * hz + e.moment.x * hz, yz = ky * h * hz + e.moment.y * hz;
    Mat vv = {{{spring.x * h * h, 0.0, xz},
               {0.0, spring.y * h * h, yz},
               {xz, yz, bent * hz * hz + spring.z * tz * tz + along * hzz - twisted * 4.0 * p.z * p.w}}};

    // In the variations: ∂p/∂α = t − s and ∂p/∂β = t + s.
    double w = 0.5 * p.w;
    Vec u = v * 0.5;
    Mat crossed = vv * skew(u);
    Mat ss = outer(u, u) * ww - (outer(u, wv) + outer(wv, u)) * w + vv * (w * w);
    Mat tt = zero() - skew(u) * crossed;
    Mat st = crossed * w - outer(u, cross(wv, u));
    Mat ts = transposed(st);
    e.aa = ss + tt - st - ts;
    e.bb = ss + tt + st + ts;
    e.ab = tt - ss + ts - st;
    double diagonal = -0.25 * (p.w * g0 + dot(v, gv)), mixed = 0.25 * (g0 * p.w - dot(gv, v));
    for (int i = 0; i < 3; ++i) { e.aa.m[i][i] += diagonal; e.bb.m[i][i] += diagonal; e.ab.m[i][i] += mixed; }
    e.ab = e.ab + (skew(v * g0 + gv * p.w) + outer(v, gv) + outer(gv, v)) * 0.25;
    return e;
}

INLINE Quat read_quat(const double* at, int row, int count, int k) {
    Quat q = {at[(row + 0) * (long long)count + k], at[(row + 1) * (long long)count + k], at[(row + 2) * (long long)count + k],
              at[(row + 3) * (long long)count + k]};
    return q;
}
INLINE void write_quat(double* at, int row, int count, int k, Quat q) {
    at[(row + 0) * (long long)count + k] = q.w; at[(row + 1) * (long long)count + k] = q.x;
    at[(row + 2) * (long long)count + k] = q.y; at[(row + 3) * (long long)count + k] = q.z;
}
INLINE Vec read_vec(const double* at, int row, int count, int k) {
    return vec(at[(row + 0) * (long long)count + k], at[(row + 1) * (long long)count + k], at[(row + 2) * (long long)count + k]);
}
INLINE void write_vec(double* at, int row, int count, int k, Vec v) {
    at[(row + 0) * (long long)count + k] = v.x; at[(row + 1) * (long long)count + k] = v.y; at[(row + 2) * (long long)count + k] = v.z;
}
INLINE void write_mat(double* at, int row, int count, int k, const Mat& a) {
    EACH at[(row + 3 * i + j) * (long long)count + k] = a.m[i][j];
}
INLINE Mat read_mat(const double* at, int row, int count, int k) {
    Mat a;
    EACH a.m[i][j] = at[(row + 3 * i + j) * (long long)count + k];
    return a;
}

// What one cable's solve ended with; the numbers are those of `Status` in src/outcome.rs.
enum { CONVERGED = 0, ITERATION_LIMIT = 1, NUMERICAL_FAILURE = 2 };

// Rows of `rods`: the length of a segment, its rest (3), its springs (3), the mass of its far node; vertex n has rest
// and springs alone. All of vertex j stand together.
#define ROD_ROWS 8
// Rows of `factors` per frame: K, Y, y.
#define FACTOR_ROWS 21

extern "C" __global__ void solve_chains(
    int count, int segments, int most, double force_tolerance, double position_tolerance, double longest_turn,
    const double* rods,     // ROD_ROWS (n + 1)
    const double* gravity,  // 3
    const double* ends,     // start: position, frame; end: position, frame: 14
    double* frames,         // 4 (n + 2): the state; as it was where nothing was found
    double* twists,         // n + 1
    double* force,          // 3: N of the last segment
    double* trial,          // 4 (n + 2)
    double* trial_twists,   // n + 1
    double* factors,        // FACTOR_ROWS n
    int* status, int* iterations, int* negative,
    double* proof)          // largest unbalanced moment, largest moment, distance of the end
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    const int n = segments;
    const Vec g = read_vec(gravity, 0, count, k);
    const Vec begin = read_vec(ends, 0, count, k), goal = read_vec(ends, 7, count, k);
    const Quat first = read_quat(ends, 3, count, k), last = read_quat(ends, 10, count, k);

    double mass = 0.0, length = 0.0;
    for (int i = 0; i < n; ++i) {
        length += rods[(ROD_ROWS * i) * (long long)count + k];
        if (i + 1 < n) mass += rods[(ROD_ROWS * i + 7) * (long long)count + k];
    }
    Vec far = read_vec(force, 0, count, k);
    const double* from = frames;
    const double* from_twists = twists;
    double scale = 0.0;
    int ending = ITERATION_LIMIT, step = 0, negative_count = -1;
    double unbalanced = 0.0, present = 0.0, off = 0.0;

    for (;; ++step) {
        // Forwards: takes the last step, evaluates, eliminates.
        Mat schur = zero(), carried = zero(), border = zero();
        Vec shift = vec(0, 0, 0), rest_of_right = vec(0, 0, 0), right_carried = vec(0, 0, 0), x = begin;
        Vec weight = g * mass;
        Quat near = first;
        int below = 0;
        unbalanced = 0.0;
        present = 0.0;
        double resultant = largest(far);
        for (int i = 0; i <= n; ++i) {
            Quat next;
            if (i < n) {
                next = read_quat(from, 4 * (i + 1), count, k);
                if (step > 0) {
                    Vec theta = read_vec(factors, FACTOR_ROWS * i + 18, count, k);
                    next = turned(next, theta * scale);
                }
                write_quat(trial, 4 * (i + 1), count, k, next);
            } else {
                next = last;
            }
            const int row = ROD_ROWS * i;
            Vertex e = vertex(times(conjugate(near), next), from_twists[i * (long long)count + k],
                              read_vec(rods, row + 1, count, k), read_vec(rods, row + 4, count, k));
            trial_twists[i * (long long)count + k] = e.twist;
            present = fmax(present, largest(e.moment));
            if (i > 0) {
                // Frame i is complete: `carried` has what came from before, the vertex behind it is this one.
                double l = rods[(ROD_ROWS * (i - 1)) * (long long)count + k];
                Frame f = directors(near);
                Vec here = far + weight;
                resultant = fmax(resultant, largest(here));
                Vec b = vec(dot(f.d1, here), dot(f.d2, here), dot(f.d3, here));
                Mat block = carried + e.aa;
                // −l (½ (b e3ᵀ + e3 bᵀ) − b_z 1)
                block.m[0][0] += l * b.z; block.m[1][1] += l * b.z;
                block.m[0][2] -= 0.5 * l * b.x; block.m[2][0] -= 0.5 * l * b.x;
                block.m[1][2] -= 0.5 * l * b.y; block.m[2][1] -= 0.5 * l * b.y;
                Vec gradient = rest_of_right + e.ga + vec(l * b.y, -l * b.x, 0.0);
                unbalanced = fmax(unbalanced, largest(gradient));
                Vec right = right_carried - gradient;
                Mat lever = border;
                lever.m[0][0] -= l * f.d2.x; lever.m[0][1] -= l * f.d2.y; lever.m[0][2] -= l * f.d2.z;
                lever.m[1][0] += l * f.d1.x; lever.m[1][1] += l * f.d1.y; lever.m[1][2] += l * f.d1.z;
                x = x + f.d3 * l;
                Factor pivot = factorised(block);
                below += negatives(pivot);
                Vec y = solve(pivot, right);
                Mat by_force = solve(pivot, lever);
                schur = schur + tr_mul(lever, by_force);
                shift = shift + tr_mul(lever, y);
                const int at = FACTOR_ROWS * (i - 1);
                write_mat(factors, at + 9, count, k, by_force);
                if (i < n) {
                    Mat link = solve(pivot, e.ab);
                    write_mat(factors, at, count, k, link);
                    carried = e.bb - tr_mul(e.ab, link);
                    right_carried = vec(0, 0, 0) - tr_mul(e.ab, y);
                    border = zero() - tr_mul(e.ab, by_force);
                    rest_of_right = e.gb;
                    weight = weight - g * rods[(ROD_ROWS * (i - 1) + 7) * (long long)count + k];
                }
                // The step of this frame has been taken: its place is free.
                write_vec(factors, at + 18, count, k, y);
            } else {
                carried = e.bb;
                rest_of_right = e.gb;
            }
            near = next;
        }
        Vec miss = x - goal;
        off = largest(miss);
        Factor of_force = factorised(schur);
        negative_count = below - negatives(of_force);
        double scale_of_moments = present + resultant * length;
        if (!(unbalanced < 1e300) || !(off < 1e300) || !(fabs(of_force.d3) < 1e300)) {
            ending = NUMERICAL_FAILURE;
            break;
        }
        if (unbalanced <= force_tolerance * scale_of_moments && off <= position_tolerance * length) {
            ending = CONVERGED;
            break;
        }
        if (step == most) break;

        // Backwards: the step of every frame.
        Vec change = vec(0, 0, 0) - solve(of_force, miss + shift);
        far = far + change;
        Vec beyond = vec(0, 0, 0);
        double longest = 0.0;
        for (int i = n - 1; i >= 0; --i) {
            const int at = FACTOR_ROWS * i;
            Vec theta = read_vec(factors, at + 18, count, k) + read_mat(factors, at + 9, count, k) * change;
            if (i + 1 < n) theta = theta - read_mat(factors, at, count, k) * beyond;
            write_vec(factors, at + 18, count, k, theta);
            longest = fmax(longest, largest(theta));
            beyond = theta;
        }
        // A step that turns a frame too far is shortened: the force goes back by the same share.
        scale = longest > longest_turn ? longest_turn / longest : 1.0;
        far = far - change * (1.0 - scale);
        from = trial;
        from_twists = trial_twists;
    }

    status[k] = ending;
    iterations[k] = step;
    negative[k] = negative_count;
    proof[k] = unbalanced;
    proof[(long long)count + k] = present;
    proof[2 * (long long)count + k] = off;
    if (ending == CONVERGED) {
        write_quat(frames, 0, count, k, first);
        for (int i = 0; i < n; ++i) {
            write_quat(frames, 4 * (i + 1), count, k, read_quat(trial, 4 * (i + 1), count, k));
        }
        write_quat(frames, 4 * (n + 1), count, k, last);
        for (int i = 0; i <= n; ++i) twists[i * (long long)count + k] = trial_twists[i * (long long)count + k];
        write_vec(force, 0, count, k, far);
    }
}
